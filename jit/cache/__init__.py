"""Compiled kernels kept in memory and on disk, under what decides their code (docs/decisions/0133)."""
