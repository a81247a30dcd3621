"""Why a product on sm_90a is not done by four subgroups together is a remark; nothing is said where it is."""

from __future__ import annotations

import lanewise
import pytest

PROGRAM = """
gpu.func @f(%a: memref<64x32xf16>, %b: memref<16x32xf16>, %c: memref<64x16xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<64x16xf32>
  %tb = memref.alloc() : memref<16x32xf16, #gpu.address_space<workgroup>>
  %l = vector.transfer_read %a[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %w = vector.transfer_read %b[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf16>, vector<16x32xf16>
  vector.transfer_write %w, %tb[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16, #gpu.address_space<workgroup>>
  %s = vector.transfer_read %tb[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x32xf16, #gpu.address_space<workgroup>>, vector<16x32xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %s, %z : vector<64x32xf16>, vector<16x32xf16> into vector<64x16xf32>
  vector.transfer_write %d, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x16xf32>, memref<64x16xf32>
  gpu.return
}
"""  # noqa: E501
CHANGES = {
    "2 subgroups are no whole number of warpgroups (four subgroups)": [("i32: 128", "i32: 64")],
    "rhs is not read from shared memory in an order that it knows, by contractions alone": [
        ("%l, %s, %z", "%l, %w, %z")
    ],
    "does not divide 32 rows by 64": [("64x", "32x")],
    "its mma_kind asks for that": [
        (
            "kind = #vector.kind<add>",
            "kind = #vector.kind<add>, lowering_config = #iree_gpu.lowering_config<{mma_kind ="
            " #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>",
        )
    ],
}


def told(*changes: tuple[str, str], target: str = "sm_90a") -> list[str]:
    text = PROGRAM
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return [r.message for r in lanewise.compile(text, target).remarks if r.kind == "matrix-unit"]


def test_nothing_is_said_of_products_of_four() -> None:
    assert told() == []


@pytest.mark.parametrize("why", CHANGES)
def test_why_one_subgroup_multiplies_alone(why: str) -> None:
    (message,) = told(*CHANGES[why])
    assert ", not by wgmma: " in message
    assert why in message


def test_what_has_zeros_around_it_is_called_as_its_author_has_it() -> None:
    """15 of 16 columns and 30 of 32 deep: what is multiplied is not what the program says."""
    (message,) = told(("64x32xf16", "60x30xf16"), ("16x32xf16", "12x30xf16"), ("64x16xf32", "60x12xf32"))
    assert message.startswith("vector<60x30xf16> * vector<12x30xf16>, with zeros around them vector<64x32xf16> * ")


@pytest.mark.parametrize("chip", ["sm_100a", "sm_103a"])
def test_contractions_do_not_choose_tensor_memory(chip: str) -> None:
    """One of f16 is told so; of f64 tcgen05 has no products."""
    (message,) = told(target=chip)
    assert "is multiplied by NV_MMA_SYNC_F32_16x8x16_F16, not by tcgen05: " in message
    assert told(("f16", "f64"), ("f32", "f64"), target=chip) == []


def test_chips_without_are_not_asked() -> None:
    assert told(CHANGES["2 subgroups are no whole number of warpgroups (four subgroups)"][0], target="sm_90") == []
