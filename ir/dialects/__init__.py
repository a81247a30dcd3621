"""The operations lanewise knows, one file per dialect. Importing this package registers them all."""

from . import (
    affine,
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
    vector,
)

ALL = (builtin, func, arith, math, scf, memref, affine, vector, gpu, nvgpu, iree_codegen, iree_gpu, iree_vector_ext)
