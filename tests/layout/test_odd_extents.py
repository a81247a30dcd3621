"""Odd extents take no longer to plan than even ones: work is counted by what movement plans look at."""

from __future__ import annotations

import pytest
from lanewise.ir.parser import parse_program
from lanewise.layout import conversion
from lanewise.layout.nested import IntArray
from lanewise.layout.workgroup import MAX_ELEMENTS_OF_A_THREAD
from lanewise.pipeline.compilation import Compilation
from lanewise.targets import find_chip

PRODUCT = """
#mk = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @f(%A: memref<160x160xbf16>, %B: memref<192x160xbf16>, %C: memref<160x192xf32>) attributes {
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute
      workgroup_size = [512, 1, 1]>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : bf16
  %zero = arith.constant dense<0.0> : vector<80x96xf32>
  %a = vector.transfer_read %A[%c0, %c0], %pad : memref<160x160xbf16>, vector<40x80xbf16>
  %b = vector.transfer_read %B[%c0, %c0], %pad : memref<192x160xbf16>, vector<96x40xbf16>
  %r = vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
    kind = #vector.kind<add>} %a, %b, %zero : vector<40x80xbf16>, vector<96x40xbf16> into vector<80x96xf32>
  vector.transfer_write %r, %C[%c0, %c0] : vector<80x96xf32>, memref<160x192xf32>
  return
}
"""


def test_what_no_thread_may_hold_is_not_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    """40 by 80 is padded to the 48 by 80 of the matrix unit. Layouts were priced that give each of 512 threads half of
    all: a million places for each plan."""
    looked_at: list[int] = []
    locate = conversion._locate

    def counted(source: conversion.NestedLayout, coordinates: IntArray, threads: int, subgroup_size: int) -> object:
        looked_at.append(coordinates.size // coordinates.shape[-1] // threads)
        return locate(source, coordinates, threads, subgroup_size)

    monkeypatch.setattr(conversion, "_locate", counted)
    conversion.plan_movement.cache_clear()
    assert Compilation(parse_program(PRODUCT), None, find_chip("gfx1100")).layout_module
    assert looked_at and max(looked_at) <= MAX_ELEMENTS_OF_A_THREAD, looked_at
