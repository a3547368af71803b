"""Scenarios and what they show: running one, measuring, comparing two, predictions, replayed traffic."""
