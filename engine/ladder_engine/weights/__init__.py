"""Models made elsewhere: reading Hugging Face folders and GGUF files, and the store of those that were added."""
