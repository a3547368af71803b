"""What happened: the events of a run, the state they fold into at any step, recordings and exports. No torch."""
