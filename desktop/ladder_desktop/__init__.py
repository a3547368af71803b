"""The Qt application, and the only place that imports PySide6."""
