"""The mock interview: choose, answer aloud, tick what was said, and read what it shows."""
