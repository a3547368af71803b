"""How the bundled models were made from the lesson text, and how often the draft is right."""
