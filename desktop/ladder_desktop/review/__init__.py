"""Drilling cards and answering tickets."""
