"""Every operation is printed and read back, used wrongly and run on four chips by filetests; see `coverage.py`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lanewise.ir.core import REGISTRY
from lanewise.ir.dialects.amdgpu_barriers import ON_BARRIERS, PARTS
from lanewise.ir.dialects.amdgpu_tensor import COPIES, MAKERS
from lanewise.ir.traits import ACCESSES
from lanewise.targets import find_chip

from .coverage import CHIPS, HERE, coverage
from .sections import EXPECTED, commands, operations, sections
from .turns import AGAIN, lines, made

WRITTEN_BY_ALL = "every program has it, under its short name"
OF_A_CHIP = "an instruction of one vendor's chips"
OF_ONE_SIZE = "its filetests are of fragments, or of subgroups, that not all chips have; one of each vendor runs them"
REFUSED = "it is refused on every chip: addresses are another number on each executor"
COORDINATES = "it is refused: no kernel takes coordinates out of a tensor"
OWN = "only inside one of ours, whose messages name it"
MADE = "made by the compiler for sm_90a alone, in a thread's program: tests/codegen/test_warpgroup.py has it"
BOXES = "tests/codegen/test_boxes.py has it wrong, in every way"
HOLDS = "what is wrong with it is wrong with what it holds"
SAYS_NOTHING = "it has neither operands nor attributes"
NOT_READ_BACK: Mapping[str, str] = {
    "lanewise.warpgroup_mma": MADE,
    "lanewise.warpgroup_mma_held": MADE,
    "lanewise.warpgroup_wait": MADE,
    "nvvm.fence.proxy": MADE,
    "builtin.module": WRITTEN_BY_ALL,
    "func.return": WRITTEN_BY_ALL,
    "lanewise.count": OWN,
}
NEVER_WRONG: Mapping[str, str] = {
    "lanewise.tcgen05.relinquish_alloc_permit": SAYS_NOTHING,
    "lanewise.tcgen05.wait_st": SAYS_NOTHING,
    "nvvm.cp.async.bulk.commit.group": SAYS_NOTHING,
    "nvgpu.warpgroup.mma.init.accumulator": SAYS_NOTHING,
    "nvgpu.mbarrier.arrive.expect_tx": BOXES,
    "nvgpu.mbarrier.create": BOXES,
    "nvgpu.tma.async.load": BOXES,
    "nvgpu.tma.create.descriptor": BOXES,
    "builtin.module": HOLDS,
    "func.return": WRITTEN_BY_ALL,
    "lanewise.warpgroup_mma": MADE,
    "lanewise.warpgroup_mma_held": MADE,
    "lanewise.warpgroup_wait": MADE,
    "nvvm.fence.proxy": MADE,
}
NOT_RUN: Mapping[str, str] = {
    "nvgpu.mbarrier.arrive": OF_A_CHIP,
    "nvvm.cluster.arrive": OF_A_CHIP,
    "nvvm.cluster.arrive.relaxed": OF_A_CHIP,
    "nvvm.cluster.wait": OF_A_CHIP,
    "nvvm.griddepcontrol": OF_A_CHIP,
    "nvvm.mapa": OF_A_CHIP,
    "nvvm.setmaxregister": OF_A_CHIP,
    "nvgpu.mbarrier.arrive.expect_tx": OF_A_CHIP,
    "nvgpu.mbarrier.create": OF_A_CHIP,
    "nvgpu.mbarrier.init": OF_A_CHIP,
    "nvgpu.mbarrier.try_wait.parity": OF_A_CHIP,
    "nvgpu.tma.async.load": OF_A_CHIP,
    "nvgpu.tma.create.descriptor": OF_A_CHIP,
    "nvgpu.warpgroup.generate.descriptor": OF_A_CHIP,
    "nvgpu.warpgroup.mma": OF_A_CHIP,
    "nvgpu.warpgroup.mma.init.accumulator": OF_A_CHIP,
    "nvgpu.warpgroup.mma.store": OF_A_CHIP,
    "nvgpu.tma.prefetch.descriptor": OF_A_CHIP,
    "nvgpu.mbarrier.arrive.nocomplete": OF_A_CHIP,
    "nvgpu.mbarrier.get": OF_A_CHIP,
    "nvgpu.mbarrier.test.wait": OF_A_CHIP,
    "nvgpu.tma.async.store": OF_A_CHIP,
    "nvgpu.tma.fence.descriptor": OF_A_CHIP,
    "nvvm.cp.async.bulk.commit.group": OF_A_CHIP,
    "nvvm.cp.async.bulk.wait_group": OF_A_CHIP,
    "lanewise.warpgroup_mma": MADE,
    "lanewise.warpgroup_mma_held": MADE,
    "lanewise.warpgroup_wait": MADE,
    "nvvm.fence.proxy": MADE,
    "builtin.module": WRITTEN_BY_ALL,
    "func.return": WRITTEN_BY_ALL,
    "lanewise.tcgen05.address": OF_A_CHIP,
    "lanewise.tcgen05.alloc": OF_A_CHIP,
    "lanewise.tcgen05.commit": OF_A_CHIP,
    "lanewise.tcgen05.cp": OF_A_CHIP,
    "lanewise.tcgen05.dealloc": OF_A_CHIP,
    "lanewise.tcgen05.fence": OF_A_CHIP,
    "lanewise.tcgen05.ld": OF_A_CHIP,
    "lanewise.tcgen05.mma": OF_A_CHIP,
    "lanewise.tcgen05.mma_held": OF_A_CHIP,
    "lanewise.tcgen05.part": OF_A_CHIP,
    "lanewise.tcgen05.relinquish_alloc_permit": OF_A_CHIP,
    "lanewise.tcgen05.st": OF_A_CHIP,
    "lanewise.tcgen05.wait_ld": OF_A_CHIP,
    "lanewise.tcgen05.wait_st": OF_A_CHIP,
    "nvgpu.device_async_copy": OF_A_CHIP,
    "amdgpu.gather_to_lds": OF_A_CHIP,
    "amdgpu.global_load_async_to_lds": OF_A_CHIP,
    "rocdl.s.wait.asynccnt": OF_A_CHIP,
    "rocdl.s.wait.tensorcnt": OF_A_CHIP,
    **dict.fromkeys((cls.opname for cls in (*ON_BARRIERS, *PARTS, *MAKERS, *COPIES)), OF_A_CHIP),
    "amdgpu.lds_barrier": OF_A_CHIP,
    "amdgpu.global_prefetch": OF_A_CHIP,
    "amdgpu.fat_raw_buffer_cast": OF_A_CHIP,
    "amdgpu.dot": OF_A_CHIP,
    "amdgpu.dpp": OF_A_CHIP,
    "amdgpu.ext_packed_fp8": OF_A_CHIP,
    "amdgpu.packed_scaled_trunc": OF_A_CHIP,
    "amdgpu.packed_stoch_round_fp8": OF_A_CHIP,
    "amdgpu.packed_trunc_2xfp8": OF_A_CHIP,
    "amdgpu.permlane_swap": OF_A_CHIP,
    "amdgpu.permlane_var": OF_A_CHIP,
    "amdgpu.scaled_ext_packed": OF_A_CHIP,
    "amdgpu.scaled_ext_packed_matrix": OF_A_CHIP,
    "amdgpu.swizzle_bitmode": OF_A_CHIP,
    "amdgpu.raw_buffer_load": OF_A_CHIP,
    "amdgpu.raw_buffer_store": OF_A_CHIP,
    "amdgpu.raw_buffer_atomic_cmpswap": OF_A_CHIP,
    "amdgpu.raw_buffer_atomic_fadd": OF_A_CHIP,
    "amdgpu.raw_buffer_atomic_fmax": OF_A_CHIP,
    "amdgpu.raw_buffer_atomic_smax": OF_A_CHIP,
    "amdgpu.raw_buffer_atomic_umin": OF_A_CHIP,
    "lanewise.update_pair": OF_A_CHIP,
    "amdgpu.memory_counter_wait": OF_A_CHIP,
    "amdgpu.mfma": OF_A_CHIP,
    "amdgpu.transpose_load": OF_A_CHIP,
    "amdgpu.global_transpose_load": OF_A_CHIP,
    "amdgpu.sched_barrier": OF_A_CHIP,
    "amdgpu.scaled_mfma": OF_A_CHIP,
    "amdgpu.scaled_wmma": OF_A_CHIP,
    "amdgpu.sparse_mfma": OF_A_CHIP,
    "amdgpu.sparse_wmma": OF_A_CHIP,
    "amdgpu.wmma": OF_A_CHIP,
    "nvgpu.ldmatrix": OF_A_CHIP,
    "nvgpu.mma.block_scale.sync": OF_A_CHIP,
    "nvgpu.mma.sp.sync": OF_A_CHIP,
    "nvgpu.mma.sync": OF_A_CHIP,
    "nvgpu.stmatrix": OF_A_CHIP,
    "lanewise.count": OWN,
    "memref.extract_aligned_pointer_as_index": REFUSED,
    "tensor.gather": COORDINATES,
    "tensor.scatter": COORDINATES,
    "gpu.printf": OF_ONE_SIZE,
    "iree_codegen.inner_tiled": OF_ONE_SIZE,
    "iree_gpu.multi_mma": OF_ONE_SIZE,
    "iree_gpu.shuffle_tensor": OF_ONE_SIZE,
    "lanewise.dot": OF_ONE_SIZE,
}
COUNTED_ITSELF = "an instruction: `mma` and `matrix loads` count it where contractions and reads become it"
COUNTED_IN_TEXT = "no executor has it: tests/codegen/test_tensor_memory.py counts what is emitted"
NOT_COUNTED: Mapping[str, str] = {
    "amdgpu.mfma": COUNTED_ITSELF,
    "amdgpu.scaled_mfma": COUNTED_ITSELF,
    "amdgpu.sparse_mfma": COUNTED_ITSELF,
    "amdgpu.sparse_wmma": COUNTED_ITSELF,
    "amdgpu.wmma": COUNTED_ITSELF,
    "lanewise.tcgen05.address": COUNTED_IN_TEXT,
    "lanewise.tcgen05.alloc": COUNTED_IN_TEXT,
    "lanewise.tcgen05.cp": COUNTED_IN_TEXT,
    "lanewise.tcgen05.dealloc": COUNTED_IN_TEXT,
    "lanewise.tcgen05.ld": COUNTED_IN_TEXT,
    "lanewise.tcgen05.mma": COUNTED_IN_TEXT,
    "lanewise.tcgen05.mma_held": COUNTED_IN_TEXT,
    "lanewise.tcgen05.relinquish_alloc_permit": COUNTED_IN_TEXT,
    "lanewise.tcgen05.st": COUNTED_IN_TEXT,
    "lanewise.tcgen05.wait_ld": COUNTED_IN_TEXT,
    "lanewise.tcgen05.wait_st": COUNTED_IN_TEXT,
    "lanewise.warpgroup_mma": MADE,
    "lanewise.warpgroup_mma_held": MADE,
    "lanewise.warpgroup_wait": MADE,
    "nvgpu.ldmatrix": COUNTED_ITSELF,
    "nvgpu.mma.block_scale.sync": COUNTED_ITSELF,
    "nvgpu.mma.sp.sync": COUNTED_ITSELF,
    "nvgpu.stmatrix": COUNTED_ITSELF,
}
"""Of those that move data."""


def test_every_operation_is_covered_or_says_why_not() -> None:
    found = coverage()
    holes = {
        "printed and read back (`// test roundtrip`)": {n for n, known in found.items() if not known.roundtrip},
        "wrong (`// test verify`, and `// expected-error {{..}}` behind `// -----`)": {
            n for n, known in found.items() if not known.errors
        },
        f"run (`// test run target=CHIP`) on each of {', '.join(CHIPS)}": {
            n for n, known in found.items() if len(known.chips()) < len(CHIPS)
        },
    }
    for (what, missing), stated in zip(holes.items(), (NOT_READ_BACK, NEVER_WRONG, NOT_RUN), strict=True):
        new, gone = sorted(missing - stated.keys()), sorted(stated.keys() - missing)
        assert not new, f"no filetest in which these are {what}: {new}; write one, or say here why there is none"
        assert not gone, f"these are {what}, and stated here not to be: {gone}"


def test_what_runs_runs_thoroughly_and_from_each_stage() -> None:
    for name, known in coverage().items():
        vendors = {find_chip(chip).vendor for chip, files in known.run.items() if files}
        assert known.thorough.keys() == vendors, name
        assert known.again.keys() == (set(AGAIN) if vendors else set()), name


def test_turns_miss_no_chip_of_an_operation() -> None:
    """Nor a section, nor, of a file, a size or a kind of data: against the lines of the files themselves."""
    pairs, ways, places = set[tuple[str, str]](), set[tuple[object, ...]](), set[tuple[Path, int]]()
    for path in HERE.glob("**/*.mlir"):
        text = path.read_text(encoding="utf-8")
        for section in sections(text):
            for words in (options for command, options in commands(text) if command == "run"):
                options = dict(word.split("=") for word in words)
                chip = options.pop("target", "sm_90")
                ways.add((path, *sorted(options.items())))
                places.add((path, section.number))
                if not EXPECTED.search(section.text):
                    pairs |= {(name, chip) for name in operations(section.text) if name in REGISTRY}
    found = coverage()
    assert pairs == {(name, chip) for name, known in found.items() for chip, files in known.run.items() if files}
    runs = [run for its in made().values() for run in its]
    assert ways == {(run.path, *(tuple(o.split("=")) for o in run.but_for_the_chip)) for run in runs}
    assert places == {run.place for run in runs}
    assert len(runs) < 0.8 * sum(len(run_lines) for run_lines in lines().values())


def test_both_vendors_run_what_not_all_chips_can() -> None:
    found = coverage()
    for name in (name for name, why in NOT_RUN.items() if why == OF_ONE_SIZE):
        chips = found[name].chips()
        assert any(chip.startswith("sm_") for chip in chips) and any(chip.startswith("gfx") for chip in chips), name


def moves_data(name: str) -> bool:
    """Between a thread and memory, or between threads or registers: all of vector that does more than compute."""
    cls = REGISTRY[name]
    accesses = any(field.effect is not None and field.effect & ACCESSES for field in cls.memory_groups)
    places = name.startswith("vector.") and not (cls.elementwise or cls.terminator or cls.view_results)
    return accesses or cls.collective is not None or cls.moves != slice(0) or places


def test_what_moves_data_is_counted() -> None:
    missing = {name for name, known in coverage().items() if moves_data(name) and not known.counted}
    new, gone = sorted(missing - NOT_COUNTED.keys()), sorted(NOT_COUNTED.keys() - missing)
    assert not new, f"no filetest has an `// expect` line of what their code costs: {new}; see docs/files.md"
    assert not gone, f"an `// expect` line says what these cost, and here it is stated that none does: {gone}"
