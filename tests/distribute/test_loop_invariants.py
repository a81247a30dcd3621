"""Loop-invariant code motion: which loops it is for, how many conditions they hold, and what may be done ahead of them.

`tests/filetests/stages/loop_invariants.mlir` has texts before and behind the pass.
"""

from __future__ import annotations

import lanewise
import pytest
from lanewise.distribute.loop_invariants import move_invariants
from lanewise.ir.core import Operation
from lanewise.ir.dialects import scf
from lanewise.targets.chip import Vendor

AWAITS = "nvgpu.device_async_wait %none"
MULTIPLIES = "%p = amdgpu.mfma 16x16x4 %a * %a + %acc : f32, f32, vector<4xf32>"


def loop(body: str, *, what: str = AWAITS) -> Operation:
    """A thread's loop over %i with `what` in it, and %n and %t beside it."""
    return lanewise.parse(f"""module attributes {{lanewise.stage = "thread"}} {{
gpu.func @f(%y: memref<64xindex>, %z: memref<?x?xindex>, %n: index, %a: f32, %acc: vector<4xf32>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %minus = arith.constant -1 : index
  %none = nvgpu.device_async_create_group
  %t = gpu.thread_id x
  scf.for %i = %c0 to %n step %c1 {{
    {what}
    {body}
  }}
  gpu.return
}}
}}""")


def left_in_loop(module: Operation, vendor: Vendor = "nvidia") -> list[str]:
    """Names of what is in the loop behind the pass."""
    (around,) = module.all_of(scf.ForOp)
    before = list(around.body.operations)
    assert move_invariants(_function(module), vendor) == (len(before) != len(around.body.operations))
    assert not move_invariants(_function(module), vendor), "a second time moves nothing"
    return [op.opname for op in around.body.operations]


def _function(module: Operation) -> Operation:
    return next(op for op in module.walk() if op.opname == "gpu.func")


@pytest.mark.parametrize(
    ("what", "vendor", "moves"),
    [
        (AWAITS, "nvidia", True),
        (AWAITS, "amd", False),
        (MULTIPLIES, "amd", True),
        (MULTIPLIES, "nvidia", False),
        ("gpu.barrier", "nvidia", False),
        ("gpu.barrier", "amd", False),
    ],
)
def test_loops_hold_what_a_vendor_has_registers_for(what: str, vendor: Vendor, moves: bool) -> None:
    module = loop("%s = arith.addi %t, %n : index\n memref.store %s, %y[%i] : memref<64xindex>", what=what)
    assert ("arith.addi" not in left_in_loop(module, vendor)) is moves


@pytest.mark.parametrize(
    ("operation", "moves"),
    [
        *((f"arith.{name} %t, %c1 : index", True) for name in ("divui", "remui", "divsi", "remsi", "ceildivui")),
        *((f"arith.{name} %t, %c0 : index", False) for name in ("divui", "remui", "divsi", "remsi", "floordivsi")),
        *((f"arith.{name} %t, %n : index", False) for name in ("divui", "remui", "divsi", "remsi", "ceildivsi")),
        ("arith.divui %t, %minus : index", True),
        ("arith.divsi %t, %minus : index", False),
        ("arith.shli %t, %n : index", True),
        ("affine.apply affine_map<(d0)[s0] -> (d0 * s0)>(%t)[%n]", True),
        ("affine.apply affine_map<(d0)[s0] -> (d0 mod s0 + 1)>(%t)[%n]", False),
        ("affine.max affine_map<(d0)[s0] -> (s0, d0 ceildiv s0)>(%t)[%n]", False),
        ("affine.linearize_index [%t, %t] by (%n, %n) : index", True),
        ("memref.dim %z, %c1 : memref<?x?xindex>", True),
        ("memref.dim %z, %n : memref<?x?xindex>", False),
        ("util.assume.int %t<umax = 7> : index", False),
    ],
)
def test_what_may_be_undefined_is_not_done_ahead(operation: str, moves: bool) -> None:
    """The loop may run no iteration, or guard it."""
    module = loop(f"%s = {operation}\n memref.store %s, %y[%i] : memref<64xindex>")
    names = left_in_loop(module)
    assert names == ["nvgpu.device_async_wait", *([] if moves else [operation.split()[0]]), "memref.store", "scf.yield"]


def test_extents_of_boxes_are_divided_by() -> None:
    def divided(basis: str) -> str:
        return f"""%s:2 = affine.delinearize_index %t into ({basis}) : index, index
            memref.store %s#0, %y[%i] : memref<64xindex>"""

    assert "affine.delinearize_index" not in left_in_loop(loop(divided("4, 8")))
    assert "affine.delinearize_index" in left_in_loop(loop(divided("4, %n")))


@pytest.mark.parametrize(("count", "moves"), [(8, True), (9, False)])
def test_loops_hold_few_conditions(count: int, moves: bool) -> None:
    """Where there are more, all of them stay, and what is chosen by them; their operands move."""
    rows = "\n".join(
        f"""%r{k} = arith.constant {k} : index
        %s{k} = arith.addi %t, %r{k} : index
        %c{k}_ = arith.cmpi ult, %s{k}, %n : index
        %v{k} = arith.select %c{k}_, %s{k}, %n : index
        %w{k} = arith.addi %v{k}, %i : index
        scf.if %c{k}_ {{
          memref.store %w{k}, %y[%i] : memref<64xindex>
        }}"""
        for k in range(10, 10 + count)
    )
    names = left_in_loop(loop(rows))
    assert names.count("arith.addi") == count
    assert names.count("arith.cmpi") == names.count("arith.select") == (0 if moves else count)


def test_it_moves_out_of_all_loops_that_change_nothing_of_it() -> None:
    module = loop(f"""scf.for %j = %c0 to %n step %c1 {{
      {AWAITS}
      %both = arith.muli %t, %n : index
      %outer = arith.addi %both, %i : index
      %inner = arith.addi %outer, %j : index
      memref.store %inner, %y[%i] : memref<64xindex>
    }}""")
    outer, inner = module.all_of(scf.ForOp)
    assert move_invariants(_function(module), "nvidia")
    assert [op.opname for op in inner.body.operations] == [AWAITS.split()[0], "arith.addi", "memref.store", "scf.yield"]
    assert [op.opname for op in outer.body.operations] == [AWAITS.split()[0], "arith.addi", "scf.for", "scf.yield"]
