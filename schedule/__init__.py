"""When and by which way data comes: rewrites of a kernel's loops that change no value.

Each pass is a file and a function that rewrites a function in place and says of the loops that it left alone, why.
`plan.py` says which passes a kernel gets.
"""
