"""Full-text search over everything in a pack, in the person's own data folder. Imports no Qt."""

from ladder_desktop.search.index import Hit, SearchIndex

__all__ = ["Hit", "SearchIndex"]
