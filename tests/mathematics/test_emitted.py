"""Expansions as LLVM IR: machine code of this computer has numpy's bits, and both vendors' backends lower them.

Run as a script it lowers every expansion for one GPU: a backend that cannot select an operation ends the process.
"""

import ctypes
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import llvmlite.binding
import numpy as np
import pytest
from lanewise.codegen.mathematics import BINARY_FUNCTIONS, FUNCTIONS, Arithmetic, evaluate, evaluate_binary
from numpy.typing import NDArray

llvm: Any = llvmlite.binding  # has no types

WIDTHS = (32, 64)
NAMES = (*FUNCTIONS, *BINARY_FUNCTIONS)
ON_GPUS = tuple((name, 32) for name in ("exp", "exp2", "tanh", "rsqrt"))
"""By the GPU's own instructions, which this computer lacks."""
INSTRUCTIONS = {
    "exp2_flushing": ("nvvm.ex2.approx.ftz.f", "amdgcn.exp2.f32"),
    "exp2": ("nvvm.ex2.approx.f", "amdgcn.exp2.f32"),
    "reciprocal_flushing": ("nvvm.rcp.approx.ftz.f", "amdgcn.rcp.f32"),
    "rsqrt": ("nvvm.rsqrt.approx.f", "amdgcn.rsq.f32"),
}
"""Of each vendor."""
GPUS = {"sm_80": ("nvptx64-nvidia-cuda", "+ptx70"), "gfx942": ("amdgcn-amd-amdhsa", "")}


def binary(operation: str, kind: str) -> Callable[["LlvmArithmetic", str, str], str]:
    """A method that writes an instruction over two values of the float or the integer type."""

    def write(self: "LlvmArithmetic", x: str, y: str) -> str:
        return self.emit(f"{operation} {getattr(self, kind)} {x}, {y}")

    return write


def instruction(name: str) -> Callable[["LlvmArithmetic", str], str]:
    """A method that calls the GPU's instruction."""

    def write(self: "LlvmArithmetic", x: str) -> str:
        function = f"@llvm.{INSTRUCTIONS[name][self.gpu != 'sm_80']}"
        self.declarations.add(f"declare float {function}(float)")
        return self.emit(f"call float {function}(float {x})")

    return write


class LlvmArithmetic:
    """`Arithmetic` over names of SSA values."""

    exp2_flushing, exp2, reciprocal_flushing, rsqrt = map(instruction, INSTRUCTIONS)

    def __init__(self, float_bits: int, gpu: str = "") -> None:
        self.gpu = gpu
        self.float_bits = float_bits
        self.float = {32: "float", 64: "double"}[float_bits]
        self.int = f"i{float_bits}"
        self.lines: list[str] = []
        self.declarations: set[str] = set()

    def emit(self, text: str) -> str:
        self.lines.append(f"  %v{len(self.lines)} = {text}")
        return f"%v{len(self.lines) - 1}"

    def constant(self, x: float, /) -> str:
        value = float(np.float32(x)) if self.float_bits == 32 else x
        return f"0x{np.float64(value).view(np.uint64):016X}"

    def integer(self, x: int) -> str:
        return str(x % (1 << self.float_bits))

    add, sub, mul, div = (binary(f"f{name}", "float") for name in ("add", "sub", "mul", "div"))
    less, equal = binary("fcmp olt", "float"), binary("fcmp oeq", "float")
    iadd, isub, imul = (binary(name, "int") for name in ("add", "sub", "mul"))
    iand, ior, ixor = (binary(name, "int") for name in ("and", "or", "xor"))
    shl_by, lshr_by = (binary(name, "int") for name in ("shl", "lshr"))
    iless, iequal = binary("icmp slt", "int"), binary("icmp eq", "int")

    def intrinsic(self, name: str, *values: str) -> str:
        function = f"@llvm.{name}.f{self.float_bits}"
        self.declarations.add(f"declare {self.float} {function}({', '.join([self.float] * len(values))})")
        return self.emit(f"call {self.float} {function}({', '.join(f'{self.float} {v}' for v in values)})")

    def fma(self, x: str, y: str, z: str) -> str:
        return self.intrinsic("fma", x, y, z)

    def absolute(self, x: str) -> str:
        return self.intrinsic("fabs", x)

    def sqrt(self, x: str) -> str:
        return self.intrinsic("sqrt", x)

    def saturate(self, x: str) -> str:
        return self.intrinsic("minnum", self.intrinsic("maxnum", x, self.constant(0.0)), self.constant(1.0))

    def neg(self, x: str) -> str:
        return self.emit(f"fneg {self.float} {x}")

    def to_integer(self, x: str) -> str:
        return self.emit(f"freeze {self.int} {self.emit(f'fptosi {self.float} {x} to {self.int}')}")

    def to_float(self, i: str) -> str:
        return self.emit(f"sitofp {self.int} {i} to {self.float}")

    def bits(self, x: str) -> str:
        return self.emit(f"bitcast {self.float} {x} to {self.int}")

    def from_bits(self, i: str) -> str:
        return self.emit(f"bitcast {self.int} {i} to {self.float}")

    def umulh(self, i: str, j: str) -> str:
        wide = f"i{2 * self.float_bits}"
        i, j = (self.emit(f"zext {self.int} {v} to {wide}") for v in (i, j))
        product = self.emit(f"lshr {wide} {self.emit(f'mul {wide} {i}, {j}')}, {self.float_bits}")
        return self.emit(f"trunc {wide} {product} to {self.int}")

    def shl(self, i: str, amount: int) -> str:
        return self.emit(f"shl {self.int} {i}, {amount}")

    def lshr(self, i: str, amount: int) -> str:
        return self.emit(f"lshr {self.int} {i}, {amount}")

    def ashr(self, i: str, amount: int) -> str:
        return self.emit(f"ashr {self.int} {i}, {amount}")

    def select(self, c: str, x: str, y: str) -> str:
        return self.emit(f"select i1 {c}, {self.float} {x}, {self.float} {y}")

    def iselect(self, c: str, i: str, j: str) -> str:
        return self.emit(f"select i1 {c}, {self.int} {i}, {self.int} {j}")

    def rarely(self, c: str, slow: Callable[[], tuple[str, ...]], usual: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.select(c, s, u) for s, u in zip(slow(), usual, strict=True))


def module(name: str, float_bits: int, gpu: str = "") -> str:
    """A module with `void f(ptr in, ptr second, ptr out, i64 count)`, of which `second` is for functions of two."""
    writer = LlvmArithmetic(float_bits, gpu)
    arithmetic: Arithmetic[str] = writer
    if name in FUNCTIONS:
        result = FUNCTIONS[name].build(arithmetic, "%x")
    else:
        result = BINARY_FUNCTIONS[name].build(arithmetic, "%x", "%y")
    second = writer.int if name == "fpowi" else writer.float
    body = "\n".join(writer.lines)
    return (
        "\n".join(sorted(writer.declarations))
        + f"""
define void @f(ptr noalias %in, ptr noalias %second, ptr noalias %out, i64 %count) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %from = getelementptr {writer.float}, ptr %in, i64 %i
  %x = load {writer.float}, ptr %from
  %and = getelementptr {second}, ptr %second, i64 %i
  %y = load {second}, ptr %and
{body}
  %to = getelementptr {writer.float}, ptr %out, i64 %i
  store {writer.float} {result}, ptr %to
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
    )


def optimized(text: str, machine: Any) -> Any:
    parsed = llvm.parse_assembly(text)
    parsed.verify()
    parsed.data_layout = str(machine.target_data)
    parsed.triple = machine.triple
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=1))
    builder.getModulePassManager().run(parsed, builder)
    return parsed


def compiled(name: str, float_bits: int) -> Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]:
    """The expansion as machine code of this computer, over arrays."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2
    )
    engine = llvm.create_mcjit_compiler(optimized(module(name, float_bits), machine), machine)
    engine.finalize_object()
    signature: Any = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    function = signature(engine.get_function_address("f"))

    def call(x: NDArray[Any], y: NDArray[Any], _owner: Any = engine) -> NDArray[Any]:
        out = np.empty_like(x)
        function(x.ctypes.data, y.ctypes.data, out.ctypes.data, x.size)
        return out

    return call


def samples(float_bits: int) -> NDArray[Any]:
    """Uniform bit patterns, and ordinary numbers."""
    generator = np.random.default_rng(0)
    integer, real = np.dtype(f"u{float_bits // 8}"), np.dtype(f"f{float_bits // 8}")
    patterns = generator.integers(0, 1 << float_bits, 20000, dtype=np.uint64).astype(integer).view(real)
    return np.concatenate([patterns, generator.uniform(-30, 30, 20000).astype(real)])


@pytest.mark.parametrize(("name", "float_bits"), [c for c in product(NAMES, WIDTHS) if c not in ON_GPUS])
def test_machine_code_and_numpy_have_the_same_bits(name: str, float_bits: int) -> None:
    x = samples(float_bits)
    y = np.random.default_rng(1).permutation(x)
    if name == "fpowi":
        y = (y.view(f"i{float_bits // 8}") >> np.arange(x.size) % float_bits).astype(f"i{float_bits // 8}")
    code = compiled(name, float_bits)(x, y)
    array = evaluate(FUNCTIONS[name], x) if name in FUNCTIONS else evaluate_binary(BINARY_FUNCTIONS[name], x, y)
    integer = np.dtype(f"u{float_bits // 8}")
    differ = (code.view(integer) != array.view(integer)) & ~(np.isnan(code) & np.isnan(array))
    assert not differ.any(), f"{differ.sum()} of {x.size}, first at {x[differ][0]!r}"


@pytest.mark.parametrize("gpu", GPUS)
def test_every_expansion_lowers_without_a_library(gpu: str) -> None:
    child = subprocess.run([sys.executable, __file__, gpu], check=False, capture_output=True, text=True, timeout=120)
    assert child.returncode == 0, child.stderr[-2000:]
    assert child.stdout.split() == [f"{name}{bits}" for name in NAMES for bits in WIDTHS]


def lower_all(gpu: str) -> None:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    triple, features = GPUS[gpu]
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu=gpu, features=features, opt=3)
    machine.set_asm_verbosity(False)
    for name in NAMES:
        for float_bits in WIDTHS:
            text = machine.emit_assembly(optimized(module(name, float_bits, gpu), machine))
            if ".extern" in text or "s_swappc" in text:
                raise SystemExit(f"{name}{float_bits} calls a library")
            print(f"{name}{float_bits}")


if __name__ == "__main__":
    lower_all(sys.argv[1])
