"""Chips: published limits, names and near misses, features, and which code serves which device."""

from __future__ import annotations

import dataclasses

import pytest
from lanewise.targets import (
    CHIPS,
    PRODUCTS,
    Chip,
    UnknownTargetError,
    UnsupportedFeatureError,
    chip_of_compute_capability,
    find_chip,
)
from lanewise.targets.rates import RATES

KIB = 1024
SHARED_KIB = {
    "sm_60": 48, "sm_70": 96, "sm_75": 64, "sm_80": 163, "sm_86": 99, "sm_87": 163, "sm_89": 99, "sm_90": 227,
    "sm_90a": 227, "sm_100": 227, "sm_100a": 227, "sm_120": 99, "sm_120a": 99,
    "gfx908": 64, "gfx90a": 64, "gfx942": 64, "gfx950": 160, "gfx1030": 64, "gfx1100": 64, "gfx1201": 64,
    "gfx1250": 320,
}  # fmt: skip
OLDEST_PTX = {
    "sm_70": 60, "sm_75": 63, "sm_80": 70, "sm_86": 71, "sm_89": 78, "sm_90": 78, "sm_90a": 80, "sm_100": 86,
    "sm_100a": 86, "sm_120": 87,
}  # fmt: skip
SUBGROUPS = {
    "gfx90a": (64,),
    "gfx942": (64,),
    "gfx950": (64,),
    "gfx1013": (32, 64),
    "gfx1151": (32, 64),
    "gfx1250": (32,),
}


@pytest.mark.parametrize(("name", "kib"), SHARED_KIB.items())
def test_shared_memory(name: str, kib: int) -> None:
    assert find_chip(name).shared_memory_bytes == kib * KIB


@pytest.mark.parametrize(("name", "version"), OLDEST_PTX.items())
def test_code_is_written_in_the_oldest_ptx_that_knows_the_chip(name: str, version: int) -> None:
    assert find_chip(name).llvm_features == f"+ptx{version}"


@pytest.mark.parametrize(("name", "sizes"), SUBGROUPS.items())
def test_subgroup_sizes(name: str, sizes: tuple[int, ...]) -> None:
    assert find_chip(name).subgroup_sizes == sizes


@pytest.mark.parametrize("chip", CHIPS.values(), ids=lambda chip: chip.name)
def test_limits_agree_with_each_other(chip: Chip) -> None:
    assert chip.default_subgroup_size in chip.subgroup_sizes
    assert chip.max_threads_per_workgroup == 1024
    assert max(chip.max_workgroup_sizes) == 1024
    assert 0 < chip.static_shared_memory_bytes <= chip.shared_memory_bytes
    assert len(chip.features) == len(chip.feature_names), "a feature is listed twice"
    assert hash(chip) == hash(dataclasses.replace(chip))


def test_static_shared_memory_is_48_kib_on_nvidia_and_everything_on_amd() -> None:
    assert find_chip("sm_90").static_shared_memory_bytes == 48 * KIB
    assert find_chip("gfx950").static_shared_memory_bytes == 160 * KIB


def test_what_llvm_is_told() -> None:
    sm_90, gfx942 = find_chip("sm_90"), find_chip("gfx942")
    assert (sm_90.triple, sm_90.llvm_cpu) == ("nvptx64-nvidia-cuda", "sm_90")
    assert (gfx942.triple, gfx942.llvm_cpu, gfx942.llvm_features) == ("amdgcn-amd-amdhsa", "gfx942", "")


def test_products_and_case() -> None:
    assert find_chip("H100") is find_chip("sm_90a")
    assert find_chip("MI300X").name == "gfx942"
    assert {name: PRODUCTS[name].wgp_count for name in ("a100", "h200", "mi300x", "mi210", "rx7900xtx")} == {
        "a100": 108,
        "h200": 132,
        "mi300x": 304,
        "mi210": 104,
        "rx7900xtx": 48,
    }
    assert find_chip("B200") is find_chip("sm_100a") and find_chip("rtx5090") is find_chip("sm_120a")
    for name, chip in (("t4", "sm_75"), ("rtxa6000", "sm_86"), ("l40s", "sm_89")):  # whose rates are stated, too
        assert PRODUCTS[name].chip.name == chip and PRODUCTS[name].wgp_count == RATES[chip].multiprocessors
    assert all(product.chip.name == product.architecture for product in PRODUCTS.values())


@pytest.mark.parametrize(
    ("name", "near"), [("sm_95", "sm_90"), ("gfx90", "gfx90a"), ("mi300", "mi300x"), ("sm90", "sm_90")]
)
def test_an_unknown_name_is_answered_with_near_names_and_families(name: str, near: str) -> None:
    with pytest.raises(UnknownTargetError) as error:
        find_chip(name)
    message = str(error.value)
    assert message.startswith(f"unknown target {name!r} (did you mean ")
    assert near in message.split(")")[0]
    assert "from sm_60 to " in message and "from gfx908 to " in message
    assert len(message) < 200, "a screenful of names hides the near ones"


def test_a_name_like_nothing_has_no_guess() -> None:
    with pytest.raises(ValueError, match=r"unknown target 'toaster'; known: \d+ from sm_60 to sm_\w+ \(NVIDIA\)"):
        find_chip("toaster")


@pytest.mark.parametrize(
    ("feature", "first"),
    [("ldmatrix", 75), ("mma.m16n8k8", 75), ("mma.m16n8k16", 80), ("cp.async", 80), ("bf16", 80), ("mma.fp8", 89),
     ("stmatrix", 90), ("bf16.native_arithmetic", 90), ("cp.async.bulk.tensor", 90)],
)  # fmt: skip
def test_portable_features_stay_once_introduced(feature: str, first: int) -> None:
    have = {name for name in OLDEST_PTX if find_chip(name).supports(feature)}
    assert have == {name for name in OLDEST_PTX if int(name[3:].rstrip("a")) >= first}


def test_architecture_specific_features_are_not_inherited() -> None:
    assert {name for name, chip in CHIPS.items() if chip.supports("wgmma")} == {"sm_90a"}
    assert {name for name, chip in CHIPS.items() if chip.supports("tcgen05")} == {"sm_100a", "sm_103a"}


def test_requiring_a_feature_raises_the_ptx_isa_only_as_far_as_needed() -> None:
    sm_90 = find_chip("sm_90")
    assert sm_90.requiring("mma.m16n8k16") is sm_90
    assert sm_90.requiring("cp.async.bulk.tensor").llvm_features == "+ptx80"
    assert sm_90.requiring("cp.async.bulk.tensor", "mma.fp8").llvm_features == "+ptx84"
    assert sm_90.requiring("mma.fp8").name == "sm_90"


def test_requiring_what_is_not_there() -> None:
    with pytest.raises(UnsupportedFeatureError, match=r"sm_75 does not support cp.async; it supports: .*ldmatrix"):
        find_chip("sm_75").requiring("ldmatrix", "cp.async")


@pytest.mark.parametrize(
    ("code", "device", "runs"),
    [("sm_90", "sm_90a", True), ("sm_80", "sm_90a", True), ("sm_90a", "sm_90a", True), ("sm_90a", "sm_90", False),
     ("sm_90a", "sm_100a", False), ("sm_90", "sm_80", False), ("sm_75", "sm_120", True), ("gfx942", "gfx942", True),
     ("gfx90a", "gfx942", False), ("sm_90", "gfx942", False), ("gfx942", "sm_90", False)],
)  # fmt: skip
def test_which_code_serves_which_device(code: str, device: str, runs: bool) -> None:
    assert find_chip(code).serves(find_chip(device)) is runs


@pytest.mark.parametrize(
    ("capability", "name"),
    [
        ((9, 0), "sm_90a"),
        ((8, 0), "sm_80"),
        ((8, 9), "sm_89"),
        ((12, 0), "sm_120a"),
        ((10, 9), "sm_103"),
        ((13, 0), "sm_121"),
    ],
)
def test_a_device_is_the_most_specific_chip_of_its_capability(capability: tuple[int, int], name: str) -> None:
    assert chip_of_compute_capability(*capability).name == name


def test_a_device_that_is_too_old() -> None:
    with pytest.raises(UnknownTargetError, match=r"5\.2 is older than sm_60"):
        chip_of_compute_capability(5, 2)
