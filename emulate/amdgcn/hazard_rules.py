"""The hazards of each chip, as rules.

Sources: AMD's instruction set documents, "Manually Inserted Wait States (NOPs)" (MI100, MI200, CDNA3 and CDNA4); for
RDNA, and where those are silent, what LLVM guards (GCNHazardRecognizer, SISchedule.td). Where sources leave a choice,
the shorter distance stands here: nothing is reported that may be right.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from .chip import Chip
from .hazards import EXEC, NOTHING, Rule, Step, is_scalar
from .lane_patterns import is_permuted
from .shapes import copies_to_shared
from .syntax import ACCUMULATOR, M0, VCC, VECTOR, words

Registers = frozenset[int]
_TILE = re.compile(r"v_(?:mfma_(?:scale_)?|smfmac_)(?:f32|i32|f64)_(\d+)x\d+x(\d+)")
_LANE_READS = frozenset(words("v_readlane_b32 v_readfirstlane_b32"))
_LANE_SELECTS = frozenset(words("v_readlane_b32 v_writelane_b32"))
_SWAPS = frozenset(words("v_permlane16_swap_b32 v_permlane32_swap_b32"))
_WITH_CARRY = re.compile(r"v_(addc|subb|subbrev|add_co_ci|sub_co_ci|subrev_co_ci|cndmask|div_fmas)_")


# ---- registers of an instruction ------------------------------------------------------------------------------------


def _vectors(registers: Registers) -> Registers:
    return frozenset(n for n in registers if n >= VECTOR)


def _scalars(registers: Registers) -> Registers:
    return frozenset(n for n in registers if is_scalar(n))


def _if(*kinds: str, but: str = "") -> Callable[[Step], bool]:
    return lambda step: step.is_a(*kinds) and not (but and step.is_a(but))


def _reads(*kinds: str, but: str = "", of: Callable[[Registers], Registers] = _vectors) -> Callable[[Step], Registers]:
    wanted = _if(*kinds, but=but)
    return lambda step: of(step.reads) if wanted(step) else NOTHING


def _writes(*kinds: str, but: str = "", of: Callable[[Registers], Registers] = _vectors) -> Callable[[Step], Registers]:
    wanted = _if(*kinds, but=but)
    return lambda step: of(step.writes) if wanted(step) else NOTHING


def _only(register: int) -> Callable[[Registers], Registers]:
    return lambda registers: registers & {register}


def _opcode(names: frozenset[str], registers: Callable[[Step], Registers]) -> Callable[[Step], Registers]:
    return lambda step: registers(step) if step.opcode in names else NOTHING


def _always(distance: int) -> Callable[[Step, Step], int]:
    return lambda cause, step: distance


def _apart(
    distance: int, leaves: Callable[[Step], Registers], touches: Callable[[Step], Registers], detail: str
) -> Rule:
    plural = "wait state is" if distance == 1 else "wait states are"
    return Rule(f"{detail}: {distance} {plural} needed", leaves, touches, _always(distance), distance)


# ---- matrix instructions of CDNA ------------------------------------------------------------------------------------


def _result(step: Step) -> Registers:
    return step.operand(0) if step.is_a("mfma") else NOTHING


def _accumulates(step: Step) -> bool:
    """Whether it adds to its result; its last operand is part of A: its indices."""
    return step.opcode.startswith("v_smfmac_")


def _operands(step: Step) -> Registers:
    indices = step.operand(3) if _accumulates(step) else NOTHING
    return step.operand(1) | step.operand(2) | indices if step.is_a("mfma") else NOTHING


def _addend(step: Step) -> Registers:
    return step.operand(0 if _accumulates(step) else 3) if step.is_a("mfma") else NOTHING


def _double(step: Step) -> bool:
    return step.opcode.startswith("v_mfma_f64")


def passes(chip: str, opcode: str) -> int:
    """How long a matrix instruction takes, in passes of four cycles; where unsure, the fewest."""
    match = _TILE.match(opcode)
    if match is None:
        return 2
    m, k = int(match[1]), int(match[2])
    if opcode.startswith("v_mfma_f64"):
        return 4 if m == 4 else 8
    if m == 4:
        return 2
    if chip in ("gfx908", "gfx90a"):
        return 8 if m == 16 else 16
    if m == 16:
        return 4 if k > 4 else 8
    return 8 if k > 4 or "xf32" in opcode else 16


def _is_xdl(chip: str, opcode: str) -> bool:
    """From gfx942 on, matrix instructions on f32 and f64 have units of their own."""
    return chip in ("gfx908", "gfx90a") or not re.search(r"\d(_\d+b)?_?(f32|f64)$", opcode)


def _settled(chip: str, more: int, double: tuple[int, int], cause: Step, step: Step) -> int:
    """Wait states until a matrix result may be read or replaced; `double` for both shapes of f64."""
    count = passes(chip, cause.opcode)
    if _double(cause):
        return double[0] if count == 4 else double[1]
    if chip in ("gfx90a", "gfx908"):
        return count + 3
    extra = 1 if chip == "gfx950" and count != 2 else 0
    return count + more + (1 + extra if _is_xdl(chip, cause.opcode) else 0)


def _as_addend(chip: str, cause: Step, step: Step) -> int:
    """Wait states until a matrix result may be added to by another matrix instruction."""
    count, new = passes(chip, cause.opcode), chip != "gfx90a"
    whole = _result(cause) == _addend(step)
    if whole:
        both = count == 4 and all(_double(s) and passes(chip, s.opcode) == 4 for s in (cause, step))
        return 4 if both else 2 if new and count == 2 else 0
    if _double(cause):
        return 0 if _is_xdl(chip, step.opcode) and not _double(step) else 4 if count == 4 else 9
    if not new:
        return count + (1 if _double(step) else 0)
    if _is_xdl(chip, step.opcode) and not _is_xdl(chip, cause.opcode):
        return 0
    return count + (1 if _is_xdl(chip, cause.opcode) else 0)


def _released(chip: str, cause: Step, step: Step) -> int:
    """Wait states until what a matrix instruction adds to may be replaced."""
    return {2: 1, 4: 3, 8: 7}.get(passes(chip, cause.opcode), 15)


def _read_addend(chip: str) -> Callable[[Step], Registers]:
    return lambda step: _addend(step) if not _double(step) and _is_xdl(chip, step.opcode) else NOTHING


def _matrix_rules(chip: str) -> list[Rule]:
    read, written = partial(_settled, chip, 2, (6, 11)), partial(_settled, chip, 2, (6, 11))
    stored, operand = partial(_settled, chip, 2, (9, 18)), partial(_settled, chip, 2, (6, 11))
    late, soon = "a matrix result is read too early", "a matrix result is overwritten too early"
    return [
        Rule(late, _result, _operands, operand, 20, replaces=True),
        Rule(late, _result, _addend, partial(_as_addend, chip), 20, replaces=True),
        Rule(late, _result, _reads("vector", but="mfma"), read, 20, replaces=True),
        Rule(late, _result, _reads("memory", "shared"), stored, 20, replaces=True),
        Rule(soon, _result, _writes("vector", "memory", "shared", but="mfma"), written, 20, replaces=True),
        Rule(
            "what a matrix instruction adds to is overwritten too early",
            _read_addend(chip),
            _writes("vector", "memory", "shared", but="mfma"),
            partial(_released, chip),
            16,
        ),
        _apart(2, _writes("vector", but="mfma"), _reads("mfma"), "a matrix instruction reads what was just computed"),
        _apart(4, _writes("vector", of=_only(EXEC)), _everything("mfma"), "a matrix instruction after v_cmpx"),
    ]


def _everything(*kinds: str) -> Callable[[Step], Registers]:
    """The execution mask, which every vector instruction depends on."""
    return lambda step: frozenset([EXEC]) if step.is_a(*kinds) else NOTHING


def _in_order(small: int, middle: int, large: int) -> Callable[[Step, Step], int]:
    """By the shape of the matrix instruction that came before."""
    distances = {2: small, 8: middle}
    return lambda cause, step: distances.get(passes("gfx908", cause.opcode), large)


def _accumulators(registers: Registers) -> Registers:
    return frozenset(n for n in registers if n >= ACCUMULATOR)


def _plain(registers: Registers) -> Registers:
    return frozenset(n for n in registers if VECTOR <= n < ACCUMULATOR)


def _rules_of_908() -> list[Rule]:
    take, give = frozenset(["v_accvgpr_read_b32"]), frozenset(["v_accvgpr_write_b32"])
    taken, given = _opcode(take, lambda s: _accumulators(s.reads)), _opcode(give, lambda s: _accumulators(s.writes))
    from_vectors = _opcode(give, lambda s: _plain(s.reads))
    late = "a matrix result is read too early"
    return [
        _apart(4, _result, _operands, late),
        Rule(late, _result, taken, _in_order(4, 10, 18), 18, replaces=True),
        Rule("a matrix result is overwritten too early", _result, given, _in_order(1, 7, 15), 15, replaces=True),
        Rule("what a matrix instruction adds to is overwritten too early", _addend, given, _in_order(0, 5, 13), 13),
        _apart(1, given, _addend, "a matrix instruction adds to what was just written"),
        _apart(3, given, _operands, "a matrix instruction reads what was just written"),
        _apart(3, given, taken, "an accumulator is read that was just written"),
        _apart(
            2,
            _writes("vector", but="mfma", of=_plain),
            _reads("mfma"),
            "a matrix instruction reads what was just computed",
        ),
        _apart(2, _writes("vector", but="mfma"), from_vectors, "an accumulator is written from what was just computed"),
        _apart(4, _writes("vector", of=_only(EXEC)), _everything("mfma"), "a matrix instruction after v_cmpx"),
        _apart(2, _opcode(take, lambda s: _vectors(s.writes)), _reads("memory", "shared"), "memory is accessed by it"),
    ]


# ---- the vector unit of gfx9 ----------------------------------------------------------------------------------------


def _permuted_source(step: Step) -> Registers:
    return step.operand(1) if step.is_a("vector") and is_permuted(step.instruction) else NOTHING


def _permuted_mask(step: Step) -> Registers:
    return frozenset([EXEC]) if step.is_a("vector") and is_permuted(step.instruction) else NOTHING


def _wide_store(step: Step) -> Registers:
    """What a store of more than 64 bits reads while later instructions run."""
    if not step.is_a("memory") or "_store_" not in step.opcode:
        return NOTHING
    buffer = step.opcode.startswith("buffer_")
    data = step.operand(0 if buffer else 1)
    return data if len(data) > 2 and not (buffer and step.operand(3)) else NOTHING


def _direct_to_shared(step: Step) -> Registers:
    return step.reads & {M0} if copies_to_shared(step.instruction) else NOTHING


def _wave_operands(step: Step) -> Registers:
    """A and B, and of a sparse A where its elements stand."""
    indices = step.operand(3) if step.opcode.startswith("v_swmmac_") else NOTHING
    return step.operand(1) | step.operand(2) | indices


_SCALAR_RESULT = _writes("vector", of=_scalars)
_RULES_OF_9 = [
    _apart(5, _SCALAR_RESULT, _reads("memory", "shared", of=_scalars), "memory is accessed by what was just computed"),
    _apart(4, _SCALAR_RESULT, _opcode(_LANE_SELECTS, lambda s: s.operand(2)), "a lane is chosen by it"),
    _apart(
        4,
        _SCALAR_RESULT,
        _opcode(frozenset(words("v_div_fmas_f32 v_div_fmas_f64")), lambda s: s.reads & {VCC, VCC + 1}),
        "v_div_fmas reads vcc",
    ),
    _apart(2, _writes("vector"), _permuted_source, "lanes read what was just computed"),
    _apart(5, _writes("vector", of=_only(EXEC)), _permuted_mask, "lanes are read after v_cmpx"),
    _apart(1, _writes("scalar", of=_only(M0)), _direct_to_shared, "m0 is read at once"),
]
_RULES_OF_942 = [
    _apart(
        1,
        _writes("transcendental"),
        lambda s: _vectors(s.reads) if s.is_a("vector") and not s.is_a("transcendental", "mfma") else NOTHING,
        "a transcendental result is read at once",
    ),
    _apart(2, _SCALAR_RESULT, _reads("vector", of=_scalars), "a scalar is read that was just computed"),
    _apart(1, _writes("vector"), _opcode(_LANE_READS, lambda s: s.operand(1)), "a lane reads what was just computed"),
    _apart(
        4,
        _writes("vector", of=_only(EXEC)),
        _opcode(_LANE_READS | _LANE_SELECTS, lambda s: frozenset([EXEC])),
        "lanes are read after v_cmpx",
    ),
]


def _swapped(step: Step) -> Registers:
    return step.operand(0) | step.operand(1) if step.opcode in _SWAPS else NOTHING


def _rules_of_9(chip: str) -> list[Rule]:
    stored = 2 if chip in ("gfx942", "gfx950") else 1
    rules = [*_RULES_OF_9, _apart(stored, _wide_store, _writes("vector"), "the data of a store are overwritten")]
    if chip == "gfx908":
        return rules + _rules_of_908()
    rules += _matrix_rules(chip)
    if chip == "gfx950":
        rules.append(_apart(2, _writes("vector"), _swapped, "lanes are exchanged that were just computed"))
    return rules + (_RULES_OF_942 if chip in ("gfx942", "gfx950") else [])


# ---- gfx10 to gfx12: hardware keeps most data in order --------------------------------------------------------------


def _count(*kinds: str) -> Callable[[Step], int]:
    return lambda step: int(step.is_a(*kinds))


def _non_vector_mask_reads(step: Step) -> Registers:
    if step.is_a("vector") or step.is_a("program"):
        return NOTHING
    by_name = "saveexec" in step.opcode or any(EXEC in step.operand(n) for n in range(1, 3))
    return frozenset([EXEC]) if by_name or step.is_a("memory", "shared") else NOTHING


_RULES_OF_10_1 = [
    Rule(
        "exec is changed by v_cmpx while it may still be read",
        _non_vector_mask_reads,
        _writes("vector", of=_only(EXEC)),
        _always(1),
        1,
        counts=lambda step: 0,
        ends=lambda step: step.waits_for("sa_sdst") or (step.is_a("vector") and bool(_scalars(step.writes))),
        replaces=True,
    ),
    Rule(
        "a scalar is changed while memory may still be accessed by it",
        lambda s: _scalars(s.reads) | {EXEC} if s.is_a("memory", "shared") else NOTHING,
        lambda s: _scalars(s.writes) | s.operand(0) & {EXEC} if s.is_a("scalar", "scalar memory") else NOTHING,
        _always(1),
        1,
        counts=lambda step: 0,
        ends=lambda s: s.is_a("vector") or s.opcode == "s_waitcnt" or s.waits_for("vm_vsrc"),
        replaces=True,
    ),
    Rule(
        "a scalar is changed by the vector unit while a scalar load may still read it",
        _reads("scalar memory", of=_scalars),
        _SCALAR_RESULT,
        _always(1),
        1,
        counts=lambda step: 0,
        ends=lambda s: (s.is_a("scalar") and not s.is_a("program")) or "lgkmcnt(0)" in s.instruction.text,
        replaces=True,
    ),
]
_CMPX_THEN_PERMUTE = Rule(
    "v_permlane follows v_cmpx without a vector instruction between",
    _writes("vector", of=_only(EXEC)),
    lambda s: frozenset([EXEC]) if s.opcode.startswith("v_permlane") else NOTHING,
    _always(1),
    1,
    counts=lambda s: int(s.is_a("vector") and s.opcode != "v_nop"),
)
_TRANSCENDENTAL_USE = Rule(
    "a transcendental result is read before s_waitcnt_depctr va_vdst(0) or six vector instructions",
    _writes("transcendental"),
    _reads("vector"),
    _always(6),
    6,
    counts=_count("vector"),
    ends=lambda s: s.is_a("memory", "shared") or s.waits_for("va_vdst"),
    others=_count("transcendental"),
    most_others=1,
)
_WAVE_MATRIX_USE = Rule(
    "a matrix instruction multiplies the result of the one before: a vector instruction is needed between",
    lambda s: s.operand(0) if s.is_a("wmma") else NOTHING,
    lambda s: _wave_operands(s) if s.is_a("wmma") else NOTHING,
    _always(1),
    1,
    counts=_count("vector"),
)


_VCC = frozenset((VCC, VCC + 1))


def _mask_reads(step: Step) -> Registers:
    """Lane masks in the scalar registers that select or carry: the last operand, if vcc is not meant."""
    if not _WITH_CARRY.match(step.opcode):
        return NOTHING
    return _scalars(step.operand(-1)) or step.reads & _VCC


# A vector instruction that reads any scalar, as a mask or not, or a literal constant ends what others before it began:
# LLVM 18, GCNHazardRecognizer. LLVM 22 looks no more for such ends, but what has been replaced once, with the wait that
# this needs, may be replaced again. Either is taken for an end here.
_MASK_WRITE = Rule(
    "a lane mask is replaced while it may still be read, and read before s_waitcnt_depctr sa_sdst(0)",
    _writes("scalar", of=_scalars),
    lambda s: _scalars(s.reads) if s.is_a("scalar") else NOTHING,
    _always(1),
    1,
    counts=lambda step: 0,
    ends=lambda step: step.waits_for("sa_sdst") or step.is_a("vector"),
    replaces=True,
    arms=_mask_reads,
    disarms=lambda s: s.waits_for("sa_sdst") or (s.is_a("vector") and (bool(_scalars(s.reads)) or s.has_literal)),
    takes_out=_writes("vector", "scalar", of=_scalars),
)


def _pairs(step: Step) -> Registers:
    """The pairs of scalar registers that a vector instruction reads."""
    return frozenset(n for r in _scalars(step.reads) for n in (r & ~1, r | 1)) if step.is_a("vector") else NOTHING


def _commits(*kinds: str) -> Callable[[Step], bool]:
    """Waits for one of the counters; loads through the scalar unit and buffers wait, too."""
    return lambda s: any(s.waits_for(k) for k in kinds) or s.is_a("scalar memory") or s.opcode.startswith("buffer_")


def _written(registers: Registers) -> Registers:
    """Scalars of which the last writer counts. LLVM (AMDGPUWaitSGPRHazards) knows one for vcc, whichever half it wrote:
    behind a scalar's write of vcc_hi a lane mask in vcc_lo waits for scalars. Mesa (aco_insert_NOPs) waits half by
    half, for the lane mask; the instruction set's document is silent."""
    found = _scalars(registers)
    return found | _VCC if found & _VCC else found


def _numbered(registers: Registers) -> Registers:
    """Scalars and trap temporaries, which hold the workgroup's number: the scalar unit reads them the same way, and
    waits for what the vector unit has written. LLVM and Mesa count both among the scalars here, up to m0:
    docs/decisions/0114."""
    return frozenset(n for n in registers if 0 <= n < M0)


_READ_CACHED = "a scalar that the vector unit has read before is read again after a write and before s_wait_alu "
_RULES_OF_12_0 = [
    Rule(
        _READ_CACHED + "depctr_sa_sdst(0)",
        _writes("scalar", of=_written),
        _reads("scalar", "vector", of=_scalars),
        _always(1),
        1,
        counts=lambda step: 0,
        ends=_commits("sa_sdst"),
        replaces=True,
        cancels=_writes("vector", of=_written),
        arms=_pairs,
    ),
    Rule(
        _READ_CACHED + "depctr_va_vcc(0)",
        _writes("vector", of=lambda r: _written(r) & _VCC),
        _reads("vector", of=lambda r: r & _VCC),
        _always(1),
        1,
        counts=lambda step: 0,
        ends=lambda s: _commits("va_vcc")(s) or (s.is_a("scalar") and bool(s.reads & _VCC)),
        replaces=True,
        cancels=_writes("scalar", of=_written),
        arms=_pairs,
    ),
    Rule(
        _READ_CACHED + "depctr_va_sdst(0)",
        _writes("vector", of=lambda r: _scalars(r) - _VCC),
        _reads("vector", of=_scalars),
        _always(1),
        1,
        counts=lambda step: 0,
        ends=lambda s: _commits("va_sdst")(s) or (s.is_a("scalar") and bool(_numbered(s.reads) - _VCC)),
        replaces=True,
        cancels=_writes("scalar", of=_written),
        arms=_pairs,
    ),
]


def rules_of(chip: Chip) -> tuple[Rule, ...]:
    """The hazards of a chip and wave size."""
    if chip.generation == 9:
        return tuple(_rules_of_9(chip.name))
    rules: list[Rule] = []
    if chip.name.startswith("gfx101"):
        rules += _RULES_OF_10_1
    if chip.generation in (10, 11):
        rules.append(_CMPX_THEN_PERMUTE)
    if chip.name.startswith("gfx110"):
        rules += [_TRANSCENDENTAL_USE, *([_MASK_WRITE] if chip.wavefront == 64 else [])]
    if chip.name.startswith("gfx120"):
        rules += _RULES_OF_12_0
    if chip.generation in (11, 12) and not chip.is_1250:
        rules.append(_WAVE_MATRIX_USE)
    return tuple(rules)
