"""What emulated machines have in common: modules and kernels, their launch, blocks of code, the state of a batch."""
