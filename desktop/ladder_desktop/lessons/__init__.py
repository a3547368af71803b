"""The lesson page: Gist, Maps and Q&A of one study."""
