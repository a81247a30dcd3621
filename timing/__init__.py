"""How long an iteration of a loop takes: its machine text in a simulated multiprocessor."""
