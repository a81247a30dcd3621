"""NVPTX beside its rules: attributes and ids, guarded accesses as predicated instructions, approximations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from types import MappingProxyType

from ...ir.core import Operation
from ...ir.dialects.nvvm import SetMaxRegisterOp
from ...ir.integer_ranges import Range
from ...support.named_tuples import NamedTuple
from ...targets import Chip
from ...targets.register_file import MOST_OF_A_THREAD, registers_of_a_thread
from ..emit import ids, integers
from ..emit.descriptor import CLUSTER, GLOBAL, PRIVATE, SHARED, Address
from ..emit.emission import Emission, FloatInstruction
from ..emit.text import TRUE, Ssa, bits_of
from ..emit.vectors import regroup, ungroup
from .cache_hints import NOTHING, STREAMED, Hint, hint, prefetch_words


class _Transfer(NamedTuple):
    """How PTX moves so many bytes: the type suffix, and the registers that hold them."""

    suffix: str
    registers: int
    llvm: str
    constraint: str


_TRANSFERS: Mapping[tuple[int, int], _Transfer] = {
    (1, 1): _Transfer("b8", 1, "i16", "h"),
    (2, 2): _Transfer("b16", 1, "i16", "h"),
    (4, 4): _Transfer("b32", 1, "i32", "r"),
    (8, 4): _Transfer("v2.b32", 2, "i32", "r"),
    (16, 4): _Transfer("v4.b32", 4, "i32", "r"),
    (8, 8): _Transfer("b64", 1, "i64", "l"),
    (16, 8): _Transfer("v2.b64", 2, "i64", "l"),
}
"""By bytes of the whole, and of an element or a word of four bytes."""

_SPACES = {GLOBAL: "global", SHARED: "shared", PRIVATE: "local", CLUSTER: "shared::cluster"}


def _bytes(type: str) -> int:
    return bits_of(type) // 8


def _transfer(element: str, count: int) -> _Transfer:
    size = _bytes(element)
    total = size * count
    return _TRANSFERS[total, min(total, max(size, 4))]


class Nvptx:
    """NVIDIA's side of `Machine`."""

    calling_convention = "ptx_kernel"
    atomic_scopes: Mapping[int, str] = MappingProxyType({GLOBAL: "device", SHARED: "block", CLUSTER: "cluster"})
    atomic_facts = ""
    stack_space = 0
    nontemporal = ""
    has_priorities = True
    tunes_integers = True
    permute_bytes = ""

    def enter_loop(self, emission: Emission, loop: Operation) -> None:
        """Nothing stands there."""

    def leave_iteration(self, emission: Emission, loop: Operation) -> None:
        """Nothing stands there."""

    def function_attributes(self, emission: Emission) -> str:
        """Where subgroups exchange registers, a multiprocessor's are divided by the threads of one workgroup: the
        assembler ignores the exchange unless it knows that (its remark C7508). Where a thread cannot have all that it
        may name, too: without the directive ptxas 13.5 spills down to 32 registers once it has to spill at all, so that
        several workgroups fit."""
        size = ",".join(map(str, emission.block_size))
        is_short = registers_of_a_thread(prod(emission.block_size)) < MOST_OF_A_THREAD
        alone = is_short or bool(emission.all_of(SetMaxRegisterOp))
        cluster = ",".join(map(str, emission.kernel.cluster_size))
        together = f' "nvvm.cluster_dim"="{cluster}"' * emission.kernel.clustered
        return f'nounwind "nvvm.reqntid"="{size}"' + ' "nvvm.minctasm"="1"' * alone + together

    def metadata(self, emission: Emission) -> tuple[str, Sequence[str]]:
        return "", ()

    def shared_marks(self, emission: Emission) -> str:
        return ""

    def check_of(self, emission: Emission) -> None:
        return None

    def thread_id(self, emission: Emission, axis: int) -> Ssa:
        return _register(emission, "tid", axis, emission.integers.launch.thread_id(axis))

    def block_id(self, emission: Emission, axis: int, numbers: Range) -> Ssa:
        return _register(emission, "ctaid", axis, numbers)

    def grid_dim(self, emission: Emission, axis: int) -> Ssa:
        return _register(emission, "nctaid", axis, emission.integers.launch.workgroups(axis))

    def same_in_subgroup(self, emission: Emission, value: Ssa) -> Ssa:
        return value

    def guarded_load(
        self, emission: Emission, address: Address, guard: Ssa, other: Sequence[Ssa], *, read_only: bool
    ) -> list[Ssa]:
        """One predicated load into registers that hold `other` already: no branch, so every lane stays together."""
        w, element = emission.w, other[0].type
        transfer = _transfer(element, len(other))
        kept = _to_registers(emission, other, transfer)
        n = len(kept)
        said, policy = _hint(emission, address)
        path = ".nc" if read_only and address.space == GLOBAL else ""
        space = _SPACES[address.space] + (said + path if said == STREAMED.words else path + said)
        load = f"ld.{space}.{transfer.suffix} {_braces(0, n)}"
        guards, before = ([], []) if guard == TRUE else ([guard], kept)
        first = n + len(guards)
        text = f"@${n} " * len(guards) + f"{load}, {_place(first, address)}{_listed(first + 1, policy)};"
        given = [*guards, _as_integer(emission, address), *policy, *before]
        constraints = [f"={transfer.constraint}"] * n + ["b"] * len(guards) + ["l"] * (1 + len(policy))
        constraints += [str(i) for i in range(len(before))]
        type = transfer.llvm if n == 1 else f"{{ {', '.join([transfer.llvm] * n)} }}"
        loaded = w.asm(type, text, constraints, *given)
        words = [loaded] if n == 1 else [w.pure(f"extractvalue {loaded}, {i}", transfer.llvm) for i in range(n)]
        return _from_registers(emission, words, element, len(other))

    def guarded_store(self, emission: Emission, address: Address, guard: Ssa, values: Sequence[Ssa]) -> None:
        transfer = _transfer(values[0].type, len(values))
        words = _to_registers(emission, values, transfer)
        n = len(words)
        guards = [] if guard == TRUE else [guard]
        first = len(guards)
        said, policy = _hint(emission, address)
        store = f"st.{_SPACES[address.space]}{said}.{transfer.suffix} {_place(first, address)}, {_braces(first + 1, n)}"
        text = "@$0 " * first + f"{store}{_listed(first + 1 + n, policy)};"
        constraints = ["b"] * first + ["l", *[transfer.constraint] * n, *["l"] * len(policy)]
        emission.w.asm_void(text, constraints, *guards, _as_integer(emission, address), *words, *policy)

    def has_one_stop(self, chip: Chip) -> bool:
        return False

    def prefetch(self, emission: Emission, address: Address, *, write: bool, locality: int) -> None:
        """Into the second level only unless the element is to stay near; other memory than global needs none."""
        if address.space == GLOBAL:
            level = "L1" if locality == 3 and not write else f"L2{prefetch_words(emission)}"
            place = _as_integer(emission, address)
            emission.w.asm_void(f"prefetch.global.{level} {_place(0, address)};", ["l"], place)

    def approximate(self, emission: Emission, instruction: FloatInstruction, x: Ssa, *, subnormal: bool = False) -> Ssa:
        return emission.w.call("float", _INSTRUCTIONS[instruction, subnormal], x, ahead=instruction == "rcp")


def _register(emission: Emission, name: str, axis: int, numbers: Range) -> Ssa:
    """A special register whose value is one of these numbers, as index."""
    intrinsic = f"llvm.nvvm.read.ptx.sreg.{name}.{'xyz'[axis]}"
    value = emission.w.call("i32", intrinsic, attributes=ids.range_attribute(numbers), ahead=True)
    emission.w.know(value, numbers)
    return ids.as_index(emission, value)


def _hint(emission: Emission, address: Address) -> Hint:
    """Only global memory lies behind caches."""
    return hint(emission) if address.space == GLOBAL else NOTHING


def _listed(first: int, operands: Sequence[Ssa]) -> str:
    """Operands from number `first` on, behind others."""
    return "".join(f", ${first + i}" for i in range(len(operands)))


def _place(operand: int, address: Address) -> str:
    return f"[${operand}+{address.bytes}]" if address.bytes else f"[${operand}]"


def _as_integer(emission: Emission, address: Address) -> Ssa:
    return emission.w.convert("ptrtoint", address.common(emission.w), "i64")


def _braces(first: int, count: int) -> str:
    """`{$2, $3}`; one operand alone stands bare."""
    listed = ", ".join(f"${first + i}" for i in range(count))
    return f"{{{listed}}}" if count > 1 else listed


def _to_registers(emission: Emission, values: Sequence[Ssa], transfer: _Transfer) -> list[Ssa]:
    """Elements as the registers that PTX moves; a byte goes into the low half of one of 16 bits."""
    if transfer.suffix == "b8":
        return [integers.resize(emission.w, v, transfer.llvm, signed=False) for v in values]
    return regroup(emission, values, len(values) // transfer.registers, transfer.llvm)


def _from_registers(emission: Emission, words: list[Ssa], element: str, count: int) -> list[Ssa]:
    """The reverse."""
    if _bytes(element) == count == 1:
        return [integers.resize(emission.w, word, element, signed=False) for word in words]
    return ungroup(emission, words, count // len(words), element)


_INSTRUCTIONS: Mapping[tuple[FloatInstruction, bool], str] = {
    ("exp2", False): "llvm.nvvm.ex2.approx.ftz.f",
    ("exp2", True): "llvm.nvvm.ex2.approx.f",
    ("log2", False): "llvm.nvvm.lg2.approx.ftz.f",
    ("rcp", False): "llvm.nvvm.rcp.approx.ftz.f",
    ("rsqrt", False): "llvm.nvvm.rsqrt.approx.ftz.f",
    ("rsqrt", True): "llvm.nvvm.rsqrt.approx.f",
    ("saturate", False): "llvm.nvvm.saturate.f",
}
"""By function, and whether subnormal numbers count."""
