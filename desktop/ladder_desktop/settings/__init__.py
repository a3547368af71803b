"""The settings page, and the panels that are about the window itself."""
