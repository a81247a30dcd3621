"""What nobody uses goes, and nothing else: programs with it are the programs without it."""

from __future__ import annotations

import pytest
from lanewise.frontend.dead import without_dead
from lanewise.frontend.legalise import expanded
from lanewise.ir.kernels import Kernel, find_kernel, in_module, module_around
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.verify import verify
from lanewise.targets import find_chip

HEAD = """
gpu.func @f(%x: memref<64xf32>, %y: memref<64xf32>, %n: index, %c: i1) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
"""
TAIL = """
  vector.transfer_write %r, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}"""
WHOLE = HEAD + "%r = arith.addf %v, %v : vector<64xf32>" + TAIL
LOOP = """
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (vector<64xf32>) {
    %b = arith.addf %a, %v : vector<64xf32>
    scf.yield %b : vector<64xf32>
  }"""
IF = """
  %r = scf.if %c -> (vector<64xf32>) {
    %b = arith.negf %v : vector<64xf32>
    scf.yield %b : vector<64xf32>
  } else {
    scf.yield %v : vector<64xf32>
  }"""
WHILE = """
  %r = scf.while (%a = %v) : (vector<64xf32>) -> vector<64xf32> {
    %s = memref.load %x[%c1] : memref<64xf32>
    %go = arith.cmpf ogt, %s, %p : f32
    scf.condition(%go) %a : vector<64xf32>
  } do {
  ^bb0(%b: vector<64xf32>):
    %d = arith.negf %b : vector<64xf32>
    vector.transfer_write %d, %x[%c0] : vector<64xf32>, memref<64xf32>
    scf.yield %d : vector<64xf32>
  }"""
SAME = {
    "operations of others that are dead": (
        HEAD
        + """%r = arith.addf %v, %v : vector<64xf32>
  %t = arith.negf %v : vector<64xf32>
  %u = vector.transpose %t, [0] : vector<64xf32> to vector<64xf32>"""
        + TAIL,
        WHOLE,
    ),
    "reads": (
        HEAD
        + """%r = arith.addf %v, %v : vector<64xf32>
  %t = vector.transfer_read %y[%c1], %p : memref<64xf32>, vector<8xf32>
  %s = memref.load %y[%c0] : memref<64xf32>"""
        + TAIL,
        WHOLE,
    ),
    "loops and branches": (
        HEAD
        + """%r = arith.addf %v, %v : vector<64xf32>
  %t = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (vector<64xf32>) {
    %b = scf.if %c -> (vector<64xf32>) {
      %q = vector.transfer_read %y[%i], %p : memref<64xf32>, vector<64xf32>
      scf.yield %q : vector<64xf32>
    } else {
      scf.yield %a : vector<64xf32>
    }
    scf.yield %b : vector<64xf32>
  }"""
        + TAIL,
        WHOLE,
    ),
    "what a loop carries for itself": (
        HEAD
        + """
  %z = arith.negf %v : vector<64xf32>
  %k:2 = scf.for %i = %c0 to %n step %c1 iter_args(%d = %z, %a = %v) -> (vector<64xf32>, vector<64xf32>) {
    %e = arith.mulf %d, %a : vector<64xf32>
    %b = arith.addf %a, %v : vector<64xf32>
    scf.yield %e, %b : vector<64xf32>, vector<64xf32>
  }"""
        + TAIL.replace("%r", "%k#1"),
        HEAD + LOOP + TAIL,
    ),
    "what loops in one another carry for each other": (
        HEAD
        + """
  %k:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v, %d = %v) -> (vector<64xf32>, vector<64xf32>) {
    %b = arith.addf %a, %v : vector<64xf32>
    %e = scf.for %j = %c0 to %n step %c1 iter_args(%g = %d) -> (vector<64xf32>) {
      %h = arith.mulf %g, %d : vector<64xf32>
      scf.yield %h : vector<64xf32>
    }
    scf.yield %b, %e : vector<64xf32>, vector<64xf32>
  }"""
        + TAIL.replace("%r", "%k#0"),
        HEAD + LOOP + TAIL,
    ),
    "results of branches": (
        HEAD
        + """
  %k:2 = scf.if %c -> (vector<64xf32>, f32) {
    %b = arith.negf %v : vector<64xf32>
    %s = memref.load %x[%c0] : memref<64xf32>
    scf.yield %b, %s : vector<64xf32>, f32
  } else {
    scf.yield %v, %p : vector<64xf32>, f32
  }"""
        + TAIL.replace("%r", "%k#0"),
        HEAD + IF + TAIL,
    ),
    "what a loop with a condition carries": (
        HEAD
        + """
  %k:2 = scf.while (%m = %c1, %a = %v) : (index, vector<64xf32>) -> (index, vector<64xf32>) {
    %s = memref.load %x[%c1] : memref<64xf32>
    %go = arith.cmpf ogt, %s, %p : f32
    scf.condition(%go) %m, %a : index, vector<64xf32>
  } do {
  ^bb0(%o: index, %b: vector<64xf32>):
    %d = arith.negf %b : vector<64xf32>
    vector.transfer_write %d, %x[%c0] : vector<64xf32>, memref<64xf32>
    %q = arith.addi %o, %n : index
    scf.yield %q, %d : index, vector<64xf32>
  }"""
        + TAIL.replace("%r", "%k#1"),
        HEAD + WHILE + TAIL,
    ),
}
LIVE = {
    "a loop that is needed": LOOP,
    "a branch that is needed": IF,
    "a condition that decides how often": WHILE,
    "barriers, also in loops": """
  %r = arith.addf %v, %v : vector<64xf32>
  gpu.barrier
  scf.for %i = %c0 to %n step %c1 {
    gpu.barrier
  }""",
    "an atomic whose result is not used": """
  %r = arith.addf %v, %v : vector<64xf32>
  %old = memref.atomic_rmw addf %p, %x[%c0] : (f32, memref<64xf32>) -> f32""",
    "a loop that may not end": """
  %r = arith.addf %v, %v : vector<64xf32>
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    scf.yield
  }""",
    "what a carried value needs that swaps places": """
  %k:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v, %b = %v) -> (vector<64xf32>, vector<64xf32>) {
    %e = arith.negf %a : vector<64xf32>
    scf.yield %b, %e : vector<64xf32>, vector<64xf32>
  }
  %r = arith.negf %k#0 : vector<64xf32>""",
}


def kernel_of(text: str) -> Kernel:
    module = parse_program(text)
    verify(module)
    return expanded(find_kernel(module))


def text_of(kernel: Kernel) -> str:
    """Whatever its values are called."""
    if kernel.op.enclosing() is None:
        in_module(kernel, find_chip("sm_90"))
    verify(module_around(kernel.op))
    for op in kernel.op.walk():
        for block in [block for region in op.regions for block in region.blocks]:
            for value in (*block.arguments, *(result for inner in block.operations for result in inner.results)):
                value.hint = ""
    return print_program(kernel.op)


@pytest.mark.parametrize("what", SAME)
def test_the_dead_goes(what: str) -> None:
    given, expected = (without_dead(kernel_of(text)) for text in SAME[what])
    assert text_of(given) == text_of(expected)


@pytest.mark.parametrize("what", LIVE)
def test_all_else_stays(what: str) -> None:
    head = HEAD if "%c1" in LIVE[what] else HEAD.replace("  %c1 = arith.constant 1 : index\n", "")
    kernel = kernel_of(head + LIVE[what] + TAIL)
    assert without_dead(kernel) is kernel
