"""Checks a program before any code is generated: what is proven of all launches, and what one small launch shows.

What is not proven is asked of the reference, which executes the program on the arguments that its file names, and
refuses races, accesses outside of buffers, reads of what nobody wrote, and meetings to which not all come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from ..check.inputs import Inputs
from ..check.report import Check
from ..check.validate import validate
from ..ir.dialects.gpu import BlockIdOp
from ..ir.kernels import Kernel as KernelView
from ..ir.passes import Pass, Rewritten
from ..jit.kernel import Kernel
from ..pipeline.compilation import Compilation
from ..support.diagnostics import CompileError
from ..support.limits import GENEROUS, Limits
from .checks_access import (
    bounds,
    conditional_meetings,
    conflicts,
    has_parts,
    needless_barriers,
    shared_buffers,
    uses_threads,
)
from .checks_parts import SUBJECTS, Checked, Finding, Judgement, Subject
from .checks_seen import SUBJECT_OF, seen
from .checks_threads import with_thread
from .checks_tiles import judge, touched_in
from .explain import explained
from .explain_places import line_of

_PLAIN = "legalise"
"""The pass behind which a program has core operations alone."""


def check(kernel: Kernel, inputs: Inputs | None = None, limits: Limits = GENEROUS) -> Checked:
    """Checks a kernel's program.

    Args:
        inputs: A launch for what cannot be proven; without one that is not judged.
        limits: Of the launch.

    Raises:
        ArgumentError: The launch's arguments do not fit.
        EvaluationError: An argument is not what the program takes.
    """
    return _Checker(kernel, inputs, limits).checked()


class _Proof:
    """What is known of a subject: why it is right in all launches, or else what is not known."""

    def __init__(self, why: str = "", unknown: str = "") -> None:
        self.why, self.unknown = why, unknown


class _Checker:
    def __init__(self, kernel: Kernel, inputs: Inputs | None, limits: Limits) -> None:
        self.kernel, self.inputs, self.limits = kernel, inputs, limits
        self.plain: KernelView | None = None
        self._proofs: dict[Subject, _Proof] = {}
        self._found: list[Finding] = []
        self.refused = list(self._compile())

    def checked(self) -> Checked:
        self._found += self.refused
        if not self.refused:
            self._prove()
        if self._launch is not None:
            assert self.plain is not None and self.inputs is not None
            self._found += seen(self._launch, self.plain, self.inputs.grid)
        judgements = tuple(map(self._judgement, SUBJECTS))
        order = {subject: number for number, subject in enumerate(SUBJECTS)}
        findings = sorted(self._found, key=lambda f: (order[f.subject], f.line, f.other))
        return Checked(self.kernel.name, self.kernel.target.name, self._words, judgements, tuple(findings))

    # -- what is proven -----------------------------------------------------------------------------------------------

    def _compile(self) -> Iterator[Finding]:
        """Chooses layouts and writes one thread's program, no machine code; what is refused there does not fit."""
        try:
            compilation = self.kernel.variant(self.kernel.best_facts).compilation
            self.compilation = compilation.observed(self._observe)
            _ = self.compilation.thread_kernel
        except CompileError as error:
            for found in error.diagnostics:
                line = 0 if found.location is None else found.location.source.position(found.location.offset)[0]
                others = [at.source.position(at.offset)[0] for _, at in found.notes if at is not None]
                subject: Subject = "fragments" if found.about is None else SUBJECT_OF[found.about.fault]
                yield Finding(subject, "WRONG", found.message, line, next(iter(others), line), "proven")

    compilation: Compilation

    def _observe(self, rewrite: Pass, done: Rewritten, milliseconds: float) -> None:
        if rewrite.name == _PLAIN:
            self._look(done.kernel)
        if rewrite.leads_to == "distributed":
            self._found += needless_barriers(done.kernel, self.compilation.context)

    def _look(self, kernel: KernelView) -> None:
        """Asks the program as it is written in core operations, before it is scheduled."""
        self.plain = kernel
        self._outputs(kernel)
        found = list(bounds(kernel.op))
        self._found += [f for f in found if isinstance(f, Finding)]
        unknown = [f for f in found if isinstance(f, str)]
        self._proofs["bounds"] = _Proof("every access is compared with its buffer, or inside", _few(unknown))
        self._meetings(kernel)

    def _outputs(self, kernel: KernelView) -> None:
        touched = touched_in(kernel.op, kernel.arguments)
        used = {op.dimension.value for op in kernel.op.all_of(BlockIdOp)}
        judged = [judge(buffer, found, used) for buffer, found in touched.items()]
        self._found += [f for found in judged for f in found.findings]
        unknown = _few([word for found in judged for word in found.unknown])
        if kernel.scope != "workgroup":
            unknown = unknown or f"each {kernel.scope} writes for itself"
        covers = "; ".join(word for found in judged for word in found.words)
        whole = (
            f"workgroups' tiles follow on each other without gaps ({covers})" if judged else "no argument is written"
        )
        apart = f"workgroups' tiles do not meet, and one thread writes each element ({covers})" if judged else whole
        self._proofs["coverage"] = _Proof(whole, unknown)
        self._proofs["writes apart"] = _Proof(apart, unknown)

    def _meetings(self, kernel: KernelView) -> None:
        function, buffers = kernel.op, shared_buffers(kernel.op)
        inside = conditional_meetings(function)
        alike = kernel.scope == "workgroup" and not uses_threads(function) and not has_parts(function)
        lines = f"lines {', '.join(map(str, inside))} are in loops or branches" if inside and not alike else ""
        why = (
            "all threads take every branch and loop alike"
            if alike
            else "nothing in a loop or a branch waits for others"
        )
        self._proofs["collectives"] = _Proof(why, lines)
        apart = "" if kernel.scope == "workgroup" or not buffers else f"each {kernel.scope} has a program of its own"
        placed = "the compiler places a barrier wherever threads of a workgroup meet in memory"
        own = "the program has no shared memory of its own; where the compiler takes some, it places the barriers"
        self._proofs["barriers"] = _Proof(placed if buffers else own, apart)
        names = ", ".join(f"line {line_of(op)}" for op in buffers)
        self._proofs["contents"] = _Proof("no memory starts undefined", f"shared memory of {names}" if buffers else "")

    def _prove(self) -> None:
        """What the layout stage and one thread's program say."""
        if self.plain is None:  # the program begins behind that pass
            self._look(self.compilation.layout_kernel)
        self._found = [with_thread(f, self.compilation) if f.element else f for f in self._found]
        self._proofs["fragments"] = _Proof("layouts agree with operations, and every element has a thread")
        explanation = explained(self.compilation, "")
        slow = list(conflicts(explanation.steps))
        self._found += slow
        few = "accesses of shared memory take no more passes than they have to, as far as layouts say"
        self._proofs["banks"] = _Proof(f"{len(slow)} that cost time, and are right" if slow else few)

    # -- what is seen -------------------------------------------------------------------------------------------------

    @cached_property
    def _launch(self) -> Check | None:
        if self.inputs is None or self.refused or not any(p.unknown for p in self._proofs.values()):
            return None
        report = validate(
            self.kernel, self.inputs.grid, *self.inputs.arguments, on=["reference"], thorough=False, limits=self.limits
        )
        return report.checks[0]

    @property
    def _words(self) -> str:
        if self._launch is None or self.inputs is None:
            return ""
        return f"grid {self.inputs.grid}, {', '.join(self.inputs.describe(self.kernel.signature))}"

    def _judgement(self, subject: Subject) -> Judgement:
        wrong = [f for f in self._found if f.subject == subject and f.verdict == "WRONG"]
        if wrong:
            return Judgement(subject, "WRONG", wrong[0].how, wrong[0].message)
        proof = self._proofs.get(subject)
        if proof is None:
            return Judgement(subject, "not judged", "", "the program is refused before")
        if not proof.unknown:
            return Judgement(subject, "right", "proven", proof.why)
        return self._by_launch(subject, proof)

    def _by_launch(self, subject: Subject, proof: _Proof) -> Judgement:
        launch = self._launch
        if launch is None:
            return Judgement(subject, "not judged", "", f"{proof.unknown}; no launch says more")
        if launch.unjudged:
            return Judgement(subject, "not judged", "", f"{proof.unknown}; {launch.unjudged}")
        if launch.problems:
            return Judgement(subject, "not judged", "", f"{proof.unknown}; the launch ends at what is wrong")
        return Judgement(subject, "right", "seen", f"{proof.unknown}; on this launch nothing is wrong")


def _few(words: Sequence[str], most: int = 3) -> str:
    """Some of them, and how many more there are."""
    found = list(dict.fromkeys(words))
    more = f", and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more
