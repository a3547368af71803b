"""The palette: type a few letters, and go to a page, use an action, or open what the search finds."""
