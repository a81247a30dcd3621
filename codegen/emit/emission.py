"""One kernel while it is written: what its values have become, and what it needs from the vendor's machine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from functools import cached_property
from typing import Literal, Protocol, TypeAlias

from ...analysis.buffers import Buffers
from ...analysis.integers import Integers
from ...ir.analyses import Analyses
from ...ir.attributes import number_of
from ...ir.cache_hints import NORMAL, evict_priority
from ...ir.core import Block, Operation, OpT, Value
from ...ir.dialects.nvgpu_mbarrier import MBarrierTokenType
from ...ir.dialects.nvgpu_tma import TmaCreateDescriptorOp
from ...ir.dialects.nvgpu_tma_store import TmaAsyncStoreOp
from ...ir.effects import Access, accesses
from ...ir.integer_ranges import Range
from ...ir.kernels import Kernel
from ...ir.types import BitsType, FloatType, IndexType, IntegerType, Type, VectorType, element_type, memory_bits
from ...support.deep_recursion import deep
from ...support.diagnostics import CompileError, Diagnostic
from ...support.named_tuples import NamedTuple
from ...targets import Chip
from ...targets.chip import Vendor
from .descriptor import GLOBAL, Address, Descriptor, pointer_type
from .emit_rules import Rule, emit_reason
from .lines import Lines
from .pack import Pack, vector_type
from .pairs import grouped
from .stops import Stops
from .text import INTEGER_BITS, Ssa, Writer

_WIDEST_INTEGER = 64
_FLOATS = {"f16": "half", "bf16": "bfloat", "f32": "float", "tf32": "float", "f64": "double"}

Emitted = Ssa | Pack | Descriptor
_SCALAR = frozenset({Ssa})
FloatInstruction: TypeAlias = Literal["exp2", "log2", "rcp", "rsqrt", "saturate"]
"""Instructions that every chip has for f32."""


class Passed(NamedTuple):
    """Buffers among a kernel's arguments, by what is done to them, and the operations that write one."""

    read: frozenset[Value]
    written: frozenset[Value]
    writers: Collection[Operation]


class Emission:
    """State shared by the rules. `op` is the operation being written: errors are about it."""

    def __init__(
        self,
        chip: Chip,
        machine: Machine,
        rule_of: Callable[[type[Operation], Vendor], Rule | None],
        write_pair: Callable[[Emission, Operation, Operation], None],
        kernel: Kernel,
        analyses: Analyses,
        lines: Lines | None = None,
    ) -> None:
        self.integers = analyses.get(Integers, kernel.op)
        self.w = Writer(
            tunes_integers=machine.tunes_integers,
            permute_bytes=machine.permute_bytes,
            range_of_name=self._range_of_name,
        )
        self.stops = Stops(self.w, share=machine.has_one_stop(chip))
        self.lines = lines
        self.chip = chip
        self.machine = machine
        self.kernel = kernel
        self.analyses = analyses
        self.block_size = kernel.block_size
        self.subgroup_size = kernel.subgroup_size or chip.default_subgroup_size
        self._rule_of = rule_of
        self._write_pair = write_pair
        self.op: Operation = kernel.op
        self.allocated: dict[Operation, Descriptor] = {}
        self.counters: dict[int, Ssa] = {}
        """Where the numbers of lanewise.count lie, by counter."""
        self.grid_extents: dict[int, Ssa] = {}
        """Extents of the grid, by axis, that the kernel takes as parameters of its own."""
        self.tensor_maps: dict[TmaCreateDescriptorOp, Ssa] = {}
        """Pointers to maps that it takes as parameters of its own."""
        self.exchange_bytes = 0
        """Workgroup memory at `EXCHANGE` through which lanes pass values where no instruction does it."""
        self.barriers: dict[Operation, bool] = {}
        """AMD's barriers so far, and whether workgroup memory is all that they order."""
        self._constants: dict[str, Ssa] = {}
        self._values: dict[Value, Emitted] = {}
        self._named: dict[str, Value] = {}
        """By the text of what has one name in LLVM, the program's value that it was first."""
        self._features: dict[str, None] = {}
        self._rules: dict[type[Operation], Rule | None] = {}
        self._types: dict[Type, str] = {}

    @cached_property
    def _operations(self) -> Sequence[Operation]:
        return tuple(self.kernel.op.walk())

    @cached_property
    def _classes(self) -> Set[type[Operation]]:
        return frozenset(map(type, self._operations))

    def all_of(self, cls: type[OpT]) -> list[OpT]:
        """The kernel's operations of a class, in program order."""
        if not any(issubclass(one, cls) for one in self._classes):
            return []
        return [op for op in self._operations if isinstance(op, cls)]

    @cached_property
    def accesses(self) -> Sequence[tuple[Access, tuple[Value, ...]]]:
        """Every access of the kernel, in program order, and the buffers that it may be to."""
        buffers = self.analyses.get(Buffers, self.kernel.op)
        found = (access for op in self._operations if op.has_accesses for access in accesses(op))
        return tuple((access, buffers.of(access.memref)) for access in found)

    @cached_property
    def passed(self) -> Passed:
        """What the kernel does to buffers that a launch passes."""
        arguments = frozenset(self.kernel.arguments)
        of_arguments = [(access, arguments.intersection(buffers)) for access, buffers in self.accesses]
        read = (buffers for access, buffers in of_arguments if access.reads)
        written = [(access.operation, buffers) for access, buffers in of_arguments if access.writes and buffers]
        return Passed(frozenset().union(*read), frozenset().union(*(b for _, b in written)), {op for op, _ in written})

    @cached_property
    def shared_marks(self) -> str:
        """What the machine says behind each access of workgroup memory."""
        return self.machine.shared_marks(self)

    @cached_property
    def written(self) -> frozenset[Value]:
        """The buffers that the kernel may write."""
        return frozenset(buffer for access, buffers in self.accesses if access.writes for buffer in buffers)

    @cached_property
    def stored_by_maps(self) -> frozenset[Value]:
        """The buffers to which boxes are stored, past their pointers."""
        ofs = (buffers for access, buffers in self.accesses if isinstance(access.operation, TmaAsyncStoreOp))
        return frozenset(buffer for buffers in ofs for buffer in buffers)

    @cached_property
    def awaits_grids(self) -> bool:
        """Whether other grids may write what the kernel only reads, while it runs."""
        return any(op.awaits_grids for op in self._operations)

    # -- errors and requirements --------------------------------------------------------------------------------

    def error(self, message: str, hint: str = "") -> CompileError:
        """What to raise about the current operation."""
        text = f"{self.op.title} {message}"
        return CompileError([Diagnostic(text, self.op.location, hint=hint)])

    def require(self, feature: str) -> None:
        """The kernel uses a hardware feature, which may need a newer instruction set version."""
        if not self.chip.supports(feature):
            raise self.error(f"needs {feature}, which {self.chip.title} does not have")
        self._features[feature] = None

    def tensor_map(self, op: TmaCreateDescriptorOp) -> Ssa:
        """A pointer to a parameter behind the arguments."""
        return self.tensor_maps.setdefault(op, Ssa(f"%map{len(self.tensor_maps)}", "ptr"))

    @property
    def required_chip(self) -> Chip:
        """The chip with an instruction set version that spells every feature used."""
        return self.chip.requiring(*self._features)

    def constant(self, initialiser: str, alignment: int) -> Ssa:
        """A pointer to constant memory of the device that holds `initialiser`, type and value in LLVM's spelling."""
        known = self._constants
        return known.setdefault(
            f"{initialiser}, align {alignment}", Ssa(f"@constant{len(known)}", pointer_type(GLOBAL))
        )

    @property
    def constants(self) -> list[str]:
        """Their definitions."""
        kind = f"internal unnamed_addr addrspace({GLOBAL}) constant"
        return [f"{pointer.text} = {kind} {words}" for words, pointer in self._constants.items()]

    # -- types --------------------------------------------------------------------------------------------------

    def type(self, type: Type) -> str:
        """The LLVM type of a value of `type` in registers; vectors of any rank become one-dimensional."""
        if type not in self._types:
            self._types[type] = self._spelled(type)
        return self._types[type]

    def _spelled(self, type: Type) -> str:
        if isinstance(type, VectorType):
            if not type.elements:
                raise self.error(f"has a value of type {type}, which has no elements")
            return vector_type(self.type(type.element), type.elements)
        text = _scalar_type(type)
        if text is None:
            raise self.error(f"has a value of type {type}, which code generation does not know")
        return text

    def stored_type(self, type: Type) -> str:
        """The LLVM type of one element in memory: where it has less bits than it takes there, a wider integer."""
        element = element_type(type)
        text = self.type(element)
        return f"i{memory_bits(element)}" if text in INTEGER_BITS else text

    # -- values -------------------------------------------------------------------------------------------------

    def set(self, value: Value, emitted: Emitted) -> None:
        self._values[value] = emitted
        if type(emitted) is Ssa:
            self._named.setdefault(emitted.text, value)

    def _range_of_name(self, name: str) -> Range | None:
        """What the program's integer may be that has this name in LLVM."""
        value = self._named.get(name)
        return self.integers.range(value) if value is not None and value.type.is_whole else None

    def scalar(self, value: Value) -> Ssa:
        emitted = self._values[value]
        if isinstance(emitted, Pack):
            return emitted.vector(self.w)
        assert isinstance(emitted, Ssa), f"{value.type} is no scalar"
        return emitted

    def scalars(self, values: Sequence[Value]) -> list[Ssa]:
        return [self.scalar(v) for v in values]

    def pack(self, value: Value) -> Pack:
        emitted = self._values[value]
        assert isinstance(emitted, Pack), f"{value.type} is no vector"
        return emitted

    def elements(self, value: Value) -> list[Ssa]:
        """The elements of a vector in row-major order; a scalar is its only one."""
        emitted = self._values[value]
        if isinstance(emitted, Pack):
            return emitted.elements(self.w)
        assert isinstance(emitted, Ssa)
        return [emitted]

    def memref(self, value: Value) -> Descriptor:
        emitted = self._values.get(value)
        if not isinstance(emitted, Descriptor):
            raise self.error("uses a memref that a region yields; code generation follows memrefs through views only")
        return emitted

    def set_pack(self, value: Value, elements: Sequence[Ssa]) -> None:
        """Binds `value`, a vector or a scalar, to its elements."""
        if value.type.is_vector:
            self.set(value, Pack.of(elements))
        else:
            (only,) = elements
            self.set(value, only)

    def set_llvm(self, value: Value, ssa: Ssa) -> None:
        """Binds `value` to an LLVM value of its type, a vector perhaps."""
        count = value.type.elements if isinstance(value.type, VectorType) else None
        self.set(value, ssa if count is None else Pack.of_vector(ssa, count))

    def whole(self, op: Operation) -> list[Ssa] | None:
        """The operands of an operation, where all of them are scalars."""
        found = [self._values[v] for v in op.operands]
        return found if _SCALAR.issuperset(map(type, found)) else None  # type: ignore[return-value]

    def by_element(self, op: Operation) -> list[tuple[Ssa, ...]]:
        """The operands of an elementwise operation, one tuple an element; scalars serve every element."""
        columns = [self.elements(v) for v in op.operands]
        count = max(map(len, columns), default=1)
        return list(zip(*(c * count if len(c) == 1 else c for c in columns), strict=True))

    def set_elements(self, op: Operation, rows: Sequence[Ssa | tuple[Ssa, ...]]) -> None:
        """Binds the results of an elementwise operation to what its rule returned for each element."""
        split = [row if not isinstance(row, Ssa) else (row,) for row in rows]
        for i, result in enumerate(op.results):
            self.set_pack(result, [row[i] for row in split])

    def alias(self, value: Value, other: Value) -> None:
        """`value` is `other`."""
        self._values[value] = self._values[other]

    # -- control ------------------------------------------------------------------------------------------------

    @property
    def nontemporal(self) -> bool:
        """Whether the operation that is written says that its data is not used again; or that it gives way first, where
        the machine has no priorities."""
        gives_way = not self.machine.has_priorities and evict_priority(self.op) == "evict_first"
        return gives_way or bool(number_of(self.op.attributes.get("nontemporal")))

    @property
    def is_hinted(self) -> bool:
        """Whether it says anything to caches that the machine has words for."""
        return self.nontemporal or (self.machine.has_priorities and evict_priority(self.op) != NORMAL)

    @deep
    def block_without_terminator(self, block: Block) -> None:
        """Writes the operations of a region's block but the terminator, whose operands the caller reads."""
        operations = block.operations[:-1] if block.terminator is not None else block.operations
        for one in grouped(self.chip, operations):
            self.operation(*one)

    def operation(self, op: Operation, neighbour: Operation | None = None) -> None:
        """Writes an operation, together with its neighbour where they are one instruction."""
        outer, self.op = self.op, op
        mark, together = self.w.mark, self.w.together
        self.w.together = op.collective is not None
        if self.lines is not None:
            self.w.mark = self.lines.mark(op.location)
        if neighbour is None:
            self._alone(op)
        else:
            self._write_pair(self, op, neighbour)
        self.op, self.w.mark, self.w.together = outer, mark, together

    def _alone(self, op: Operation) -> None:
        cls = type(op)
        if cls not in self._rules:
            self._rules[cls] = self._rule_of(cls, self.chip.vendor)
        rule = self._rules[cls]
        if rule is None:
            reason = emit_reason(type(op), self.chip.vendor)
            words = f"cannot be compiled: it is {reason}" if reason else "cannot be compiled for a thread"
            raise self.error(words)
        rule(self, op)


def _scalar_type(type: Type) -> str | None:
    match type:
        case IndexType():
            return "i64"
        case IntegerType(width=width) if width <= _WIDEST_INTEGER:
            return f"i{width}"
        case MBarrierTokenType():
            return "i64"
        case BitsType():
            return f"i{type.width}"
        case FloatType(name=name):
            return _FLOATS.get(name, f"i{type.width}")
        case _:
            return None


class Machine(Protocol):
    """What one vendor's code generator supplies beside its rules: the kernel's frame and guarded memory accesses."""

    calling_convention: str
    atomic_scopes: Mapping[int, str]
    """LLVM's synchronisation scope of atomic updates, by address space."""
    atomic_facts: str
    """Metadata of atomic updates: what the machine may assume of the memory."""
    stack_space: int
    """LLVM's address space of stack slots."""
    nontemporal: str
    """What behind a load or store of LLVM says that its data is not used again; empty where only instructions of the
    machine's own say so, which `guarded_load` and `guarded_store` write."""
    has_priorities: bool
    """Whether instructions of the machine's own say when data give way (`ir/cache_hints.py`)."""
    tunes_integers: bool
    """Whether the emitter moves integers out of loops and makes them shorter, because nobody after it does."""

    permute_bytes: str
    """The intrinsic that makes a word of bytes of two words; empty where elements of bytes are put together by LLVM."""

    def enter_loop(self, emission: Emission, loop: Operation) -> None:
        """Before a loop's body is written."""
        ...

    def leave_iteration(self, emission: Emission, loop: Operation) -> None:
        """Behind a loop's body, before the branch back to its beginning."""
        ...

    def function_attributes(self, emission: Emission) -> str:
        """The kernel's attributes, when all of it is written."""
        ...

    def metadata(self, emission: Emission) -> tuple[str, Sequence[str]]:
        """What the kernel's definition refers to, and the module's lines of metadata."""
        ...

    def shared_marks(self, emission: Emission) -> str:
        """Metadata of accesses of workgroup memory, if any."""
        ...

    def check_of(self, emission: Emission) -> Callable[[str], None] | None:
        """What is to be looked for in the kernel's machine text, if anything; raises CodegenError."""
        ...

    def thread_id(self, emission: Emission, axis: int) -> Ssa:
        """The thread's coordinate in its workgroup, as index."""
        ...

    def block_id(self, emission: Emission, axis: int, numbers: Range) -> Ssa:
        """The workgroup's coordinate in the grid, as index, which is one of these numbers."""
        ...

    def grid_dim(self, emission: Emission, axis: int) -> Ssa:
        """Workgroups of the grid along an axis, as index."""
        ...

    def same_in_subgroup(self, emission: Emission, value: Ssa) -> Ssa:
        """An i32 that all lanes of a subgroup have in common, so that they may branch on it together."""
        ...

    def guarded_load(
        self, emission: Emission, address: Address, guard: Ssa, other: Sequence[Ssa], *, read_only: bool
    ) -> list[Ssa]:
        """Consecutive elements, a naturally aligned power of two of at most 16 bytes: those at `address` where the i1
        `guard` holds, else `other`. Nothing is touched where it does not."""
        ...

    def guarded_store(self, emission: Emission, address: Address, guard: Ssa, values: Sequence[Ssa]) -> None:
        """Writes `values` where `guard` holds."""
        ...

    def has_one_stop(self, chip: Chip) -> bool:
        """Whether a kernel has one place at most where LLVM stops it."""
        ...

    def prefetch(self, emission: Emission, address: Address, *, write: bool, locality: int) -> None:
        """Says that the element is going to be accessed, where the machine has an instruction for it."""
        ...

    def approximate(self, emission: Emission, instruction: FloatInstruction, x: Ssa, *, subnormal: bool = False) -> Ssa:
        """The machine's instruction for a function of f32, which takes subnormal numbers as zero, but where they are
        `subnormal` ones of `exp2` and `rsqrt` that count. See `mathematics.Arithmetic` for how far it is off."""
        ...
