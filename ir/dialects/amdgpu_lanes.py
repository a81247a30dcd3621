"""amdgpu: lanes that read other lanes' values by an instruction of their own, and the barrier of older programs.

Each is a table of which lane every lane reads, `Reads`; a value of any size travels whole.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ..attributes import DIALECT_ATTRIBUTES, ArrayAttr, EnumAttr, IntegerAttr, UnitAttr
from ..core import Operation, Value
from ..define import attribute, int_attribute, is_i32, operand, optional_attribute, result
from ..numerics import Array
from ..types import I1, I32, Attribute, bit_width, scalar_type
from .gpu import is_shuffled

ROW, HALF = 16, 32
_FALSE = IntegerAttr(0, I1)
_ALL_ROWS = IntegerAttr(0xF, I32)


def _flags(*names: str) -> str:
    """`row_mask(3) bound_ctrl(true)`, in any order; older texts have them in the dictionary."""
    return "oilist({})".format(" | ".join(f"`{name}` `` `(` ${name} `)`" for name in names))


@dataclass(frozen=True, eq=False)
class Reads:
    """By lane: the lane that it reads, whether that is one, and whether it gets anything new. Where it is none the lane
    gets zero with `zeros`, else what it had."""

    source: Array
    inside: Array
    enabled: Array
    zeros: bool = False


class LanesOp(Operation):
    """The base of operations by which lanes of a subgroup read a value of each other; a subclass says which lane reads
    which."""

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    on_lane_vectors = True

    def reads(self, lane: Array, lanes: int, selected: Array | None) -> Reads:
        """Which lane reads which in subgroups of so many lanes; `selected`: the number that each gives of its own."""
        raise AssertionError

    @property
    def moved(self) -> Value:
        """What lanes read of each other."""
        raise AssertionError

    @property
    def kept(self) -> Value:
        """What a lane has that gets nothing new."""
        return self.moved


class DppPermAttr(EnumAttr):
    """Which lane of its row of 16, or of the subgroup, each lane reads."""

    mnemonic = "amdgpu.dpp_perm"
    cases = (
        "quad_perm", "row_shl", "row_shr", "row_ror", "wave_shl", "wave_shr", "wave_ror", "wave_rol",
        "row_mirror", "row_half_mirror", "row_bcast_15", "row_bcast_31",
    )  # fmt: skip


DppPermAttr.register()
DIALECT_ATTRIBUTES["rocdl.dpp_perm"] = DppPermAttr.parse
_ACROSS_ROWS = ("wave_shl", "wave_shr", "wave_ror", "wave_rol", "row_bcast_15", "row_bcast_31")
_SHIFTED = ("row_shl", "row_shr", "row_ror")


class DppOp(LanesOp, opname="amdgpu.dpp"):
    """`%old %src row_shr(1 : i32) row_mask(5) bound_ctrl(true) : f32`: `src` of another lane. Rows of 16 lanes, and
    banks of four of them, that their masks leave out keep `old`; so does what reads no lane, or gets zero with
    `bound_ctrl`."""

    old = operand(is_shuffled)
    src = operand(is_shuffled)
    kind = attribute(DppPermAttr)
    permArgument = optional_attribute(Attribute, I32)
    row_mask = int_attribute(_ALL_ROWS)
    bank_mask = int_attribute(_ALL_ROWS)
    bound_ctrl = attribute(IntegerAttr, _FALSE)
    result_ = result(is_shuffled)
    same_type = ("old", "src", "result")
    assembly = (
        f"$old $src keyword($kind) (`` `(` $permArgument^ `)`)? {_flags('row_mask', 'bank_mask', 'bound_ctrl')}"
        " attr-dict `:` type($src)"
    )

    @property
    def moved(self) -> Value:
        return self.src

    @property
    def kept(self) -> Value:
        return self.old

    @property
    def crosses_rows(self) -> bool:
        """Whether it reads other rows, which RDNA's chips do not by this."""
        return self.kind.value in _ACROSS_ROWS

    @property
    def shift(self) -> int:
        assert isinstance(self.permArgument, IntegerAttr), f"{self.opname} is verified"
        return self.permArgument.value

    @property
    def quad(self) -> tuple[int, ...]:
        assert isinstance(self.permArgument, ArrayAttr), f"{self.opname} is verified"
        return tuple(v.value for v in self.permArgument.values if isinstance(v, IntegerAttr))

    @property
    def control(self) -> int:
        """The instruction's control word (AMD's instruction set documents, DPP_CTRL)."""
        kind = self.kind.value
        if kind == "quad_perm":
            return sum(lane << 2 * i for i, lane in enumerate(self.quad))
        return _CONTROLS[kind] + (self.shift if kind in _SHIFTED else 0)

    def reads(self, lane: Array, lanes: int, selected: Array | None) -> Reads:
        kind, row = self.kind.value, lane & -ROW
        inside = np.ones(lane.shape, np.bool_)
        if kind == "quad_perm":
            source = lane & -4 | np.array(self.quad)[lane & 3]
        elif kind in ("row_shl", "row_shr"):
            source = lane + (self.shift if kind == "row_shl" else -self.shift)
            inside = source & -ROW == row
        elif kind == "row_ror":
            source = row | lane - self.shift & ROW - 1
        elif kind in ("wave_shl", "wave_shr"):
            source = lane + (1 if kind == "wave_shl" else -1)
            inside = (source >= 0) & (source < lanes)
        elif kind in ("wave_rol", "wave_ror"):
            source = (lane + (1 if kind == "wave_rol" else -1)) % lanes
        elif kind in ("row_mirror", "row_half_mirror"):
            source = lane ^ (ROW - 1 if kind == "row_mirror" else ROW // 2 - 1)
        else:
            source = row - 1 if kind == "row_bcast_15" else np.full_like(lane, HALF - 1)
            inside = lane >= (ROW if kind == "row_bcast_15" else HALF)
        rows, banks = self.row_mask >> (lane >> 4), self.bank_mask >> (lane >> 2 & 3)
        enabled = (rows & banks & 1).astype(np.bool_)
        if kind.startswith("row_bcast"):  # lanes that nobody gives anything to are left as they are
            enabled, inside = enabled & inside, np.ones(lane.shape, np.bool_)
        return Reads(np.where(inside, source, lane), inside, enabled, bool(self.bound_ctrl.value))

    def verify(self, report: Report) -> None:
        kind, argument = self.kind.value, self.permArgument
        if bit_width(scalar_type(self.src.type)) > 64:
            self.error(report, f"moves elements of at most 64 bits, found {self.src.type}")
        if kind == "quad_perm":
            numbers = argument.values if isinstance(argument, ArrayAttr) else ()
            if len(numbers) != 4 or not all(isinstance(n, IntegerAttr) and 0 <= n.value < 4 for n in numbers):
                self.error(report, f"quad_perm takes four numbers below 4, found {argument}")
        elif kind in _SHIFTED:
            if not isinstance(argument, IntegerAttr) or not 1 <= argument.value < ROW:
                self.error(report, f"{kind} takes a number from 1 to 15, found {argument}")
        elif argument is not None and argument != UnitAttr():
            self.error(report, f"{kind} takes no argument, found {argument}")
        for name, mask in (("row_mask", self.row_mask), ("bank_mask", self.bank_mask)):
            if not 0 <= mask <= 0xF:
                self.error(report, f"{name} has four bits, found {mask}")


_CONTROLS: Mapping[str, int] = {
    "row_shl": 0x100, "row_shr": 0x110, "row_ror": 0x120, "wave_shl": 0x130, "wave_rol": 0x134, "wave_shr": 0x138,
    "wave_ror": 0x13C, "row_mirror": 0x140, "row_half_mirror": 0x141, "row_bcast_15": 0x142, "row_bcast_31": 0x143,
}  # fmt: skip


class SwizzleBitModeOp(LanesOp, opname="amdgpu.swizzle_bitmode"):
    """`%src 1 2 4 : f32`: lane i of each 32 reads lane `((i & and_mask) | or_mask) ^ xor_mask` of them."""

    src = operand(is_shuffled)
    and_mask = int_attribute(number=I32)
    or_mask = int_attribute(number=I32)
    xor_mask = int_attribute(number=I32)
    result_ = result(is_shuffled)
    same_type = ("src", "result")
    assembly = "$src $and_mask $or_mask $xor_mask attr-dict `:` type($src)"

    @property
    def moved(self) -> Value:
        return self.src

    def reads(self, lane: Array, lanes: int, selected: Array | None) -> Reads:
        source = lane & -HALF | (lane & self.and_mask | self.or_mask) ^ self.xor_mask
        every = np.ones(lane.shape, np.bool_)
        return Reads(source, every, every)

    def verify(self, report: Report) -> None:
        for name in ("and_mask", "or_mask", "xor_mask"):
            value = self.attributes[name]
            if not isinstance(value, IntegerAttr) or not 0 <= value.value < HALF:
                self.error(report, f"{name} has five bits, found {value}")


class PermlaneOp(LanesOp):
    """Rows of lanes; all lanes of a subgroup are there, so that `fetch_inactive` and `bound_ctrl` change nothing."""

    fetch_inactive = attribute(IntegerAttr, _FALSE)
    bound_ctrl = attribute(IntegerAttr, _FALSE)


class PermlaneSwapOp(PermlaneOp, opname="amdgpu.permlane_swap"):
    """`%src 16 : f32`: each lane reads the one that is so many lanes away, 16 or 32, in the other row or half."""

    src = operand(is_shuffled)
    row_length = int_attribute(number=I32)
    result_ = result(is_shuffled)
    same_type = ("src", "result")
    assembly = f"$src $row_length {_flags('fetch_inactive', 'bound_ctrl')} attr-dict `:` type($src)"

    @property
    def moved(self) -> Value:
        return self.src

    def reads(self, lane: Array, lanes: int, selected: Array | None) -> Reads:
        every = np.ones(lane.shape, np.bool_)
        return Reads(lane ^ self.row_length, every, every)

    def verify(self, report: Report) -> None:
        if self.row_length not in (ROW, HALF):
            self.error(report, f"row_length must be {ROW} or {HALF}, found {self.row_length}")


class PermlaneVarOp(PermlaneOp, opname="amdgpu.permlane_var"):
    """`%src, %selector cross(true) : f32`: each lane reads the lane of its row of 16 that the lowest four bits of its
    selector name; with `cross` of the other row of its half."""

    src = operand(is_shuffled)
    selector = operand(is_i32)
    cross = attribute(IntegerAttr, _FALSE)
    result_ = result(is_shuffled)
    same_type = ("src", "result")
    assembly = f"$src `,` $selector {_flags('cross', 'fetch_inactive', 'bound_ctrl')} attr-dict `:` type($src)"

    @property
    def moved(self) -> Value:
        return self.src

    def reads(self, lane: Array, lanes: int, selected: Array | None) -> Reads:
        assert selected is not None
        every = np.ones(lane.shape, np.bool_)
        row = lane & -ROW ^ (ROW if self.cross.value else 0)
        return Reads(row | selected.astype(np.int64) & ROW - 1, every, every)


class LDSBarrierOp(Operation, opname="amdgpu.lds_barrier"):
    """All threads of the workgroup wait for each other and see each other's writes to its memory: short for
    `gpu.barrier memfence [#gpu.address_space<workgroup>]`."""

    pure = False
    collective = "workgroup"
    assembly = "attr-dict"
