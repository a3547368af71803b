"""The live panel: block grid and batch timeline, drawn from the trace alone."""
