"""Tests of the AMDGCN emulator."""
