"""What `lanewise check` finds, as values."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from ..check.report import Verdict, worst
from ..support.dataclasses import dataclass

Subject: TypeAlias = Literal[
    "fragments", "coverage", "writes apart", "bounds", "barriers", "collectives", "contents", "banks"
]
"""fragments: layouts agree, and instructions fit; coverage: every element of an output is written; writes apart: by one
thread alone, or by copies of it; bounds: no access leaves its buffer; barriers: between threads that meet in memory;
collectives: all who have to meet come; contents: what is read was written; banks: of shared memory, conflicts."""
SUBJECTS: tuple[Subject, ...] = (
    "fragments", "coverage", "writes apart", "bounds", "barriers", "collectives", "contents", "banks",
)  # fmt: skip
How: TypeAlias = Literal["proven", "seen", ""]
"""Whether of all launches, of the one that was executed, or not at all."""


@dataclass(frozen=True)
class Finding:
    """One thing that was found.

    Attributes:
        subject: What it is about.
        verdict: `slow` is right, and takes longer than it has to.
        message: What, with an element, and the lane or workgroup.
        line, other: Where, and the line of the other operation that takes part, the same where there is none; 0 where
            the program does not say.
        how: Whether of all launches.
        made: The line that makes the memory that is accessed, of an argument the kernel's; 0 where there is none.
        element: Which element of the vector that is accessed; empty where that is not known.
    """

    subject: Subject
    verdict: Literal["WRONG", "slow"]
    message: str
    line: int
    other: int
    how: How
    made: int = 0
    element: tuple[int, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """What is known of one subject: the verdict, how, and in words why."""

    subject: Subject
    verdict: Verdict
    how: How
    why: str


@dataclass(frozen=True)
class Checked:
    """What a check gives.

    Attributes:
        kernel, target: Which.
        launch: The one that was executed, in words; empty where there was none.
        judgements: Of every subject, in the order of `SUBJECTS`.
        findings: In the same order, then by lines.
    """

    kernel: str
    target: str
    launch: str
    judgements: tuple[Judgement, ...]
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        return worst(judgement.verdict for judgement in self.judgements)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, by the names of the attributes."""
        return {
            "ok": self.verdict == "right",
            "verdict": self.verdict,
            "kernel": self.kernel,
            "target": self.target,
            "launch": self.launch,
            "subjects": [
                {"subject": j.subject, "verdict": j.verdict, "how": j.how, "why": j.why} for j in self.judgements
            ],
            "findings": [
                {
                    "subject": f.subject,
                    "verdict": f.verdict,
                    "message": f.message,
                    "line": f.line,
                    "other": f.other,
                    "how": f.how,
                    "made": f.made,
                }
                for f in self.findings
            ],
        }
