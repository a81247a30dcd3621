"""As much of CuPy as bench/peers.py uses: numpy has it all."""

from numpy import add, asarray, copyto, full

__all__ = ["add", "asarray", "asnumpy", "copyto", "full"]
asnumpy = asarray
