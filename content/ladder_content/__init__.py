"""Study material as data, and its typed loader. Imports nothing else of Runtime Ladder."""
