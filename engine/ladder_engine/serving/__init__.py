"""The engine beside a person: its own process for the live panel, and the chat in a terminal."""
