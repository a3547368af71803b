"""Reading aloud: how a text is spoken (spoken.py), sentence by sentence (script.py, reading.py), by whom (speaker.py)."""
