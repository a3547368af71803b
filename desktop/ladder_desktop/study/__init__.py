"""What a person has learned: store, FSRS scheduling, queue, undo. No Qt."""
