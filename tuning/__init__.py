"""The best constants of a kernel in Python: candidates compiled side by side, compared with the reference and timed."""
