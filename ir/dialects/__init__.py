"""The operations lanewise knows, one file per dialect. Importing this package registers them all."""

from . import (
    affine,
    amdgpu,
    arith,
    builtin,
    func,
    gpu,
    iree_codegen,
    iree_gpu,
    iree_vector_ext,
    math,
    memref,
    nvgpu,
    scf,
    ub,
    vector,
)

ALL = (
    builtin,
    func,
    arith,
    ub,
    math,
    scf,
    memref,
    affine,
    vector,
    gpu,
    nvgpu,
    amdgpu,
    iree_codegen,
    iree_gpu,
    iree_vector_ext,
)
