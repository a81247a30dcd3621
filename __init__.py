"""lanewise: layout-explicit vector programs to GPU machine code, executed and proved on any machine."""
