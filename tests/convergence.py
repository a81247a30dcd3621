"""What threads of NVIDIA's chips execute together, in LLVM IR: `convergent` keeps it where it is.

What is meant is read from PTX's own words, not from what our operations say of themselves. Of intrinsics in BY_LLVM
LLVM itself says it; `tests/codegen/test_together.py` asks it.
"""

from __future__ import annotations

import functools
import re

_CALL = re.compile(r'call [^"@]*(?:asm (?:sideeffect )?"(?P<text>[^"]*)"|@(?P<name>llvm\.nvvm\.[\w.]+)\()')
_TOGETHER = re.compile(
    r"(?<!thread)\.sync\b|\.aligned\b|(?<!tcgen05\.)\bmma\.|wgmma|vote|match\.a|redux|\bbar\.|\bbarrier\.c|setmaxnreg"
    r"|tcgen05\.(?:alloc|dealloc|relinq|ld|st|wait)",
    re.ASCII,
)
BY_LLVM = re.compile(r"llvm\.nvvm\.(?:barrier\.cluster\.|setmaxnreg\.|shfl\.sync\.)", re.ASCII)
_GROUP = re.compile(r"^attributes (#\d+) = \{ (.*) \}$", re.MULTILINE)


@functools.lru_cache(64)  # several tests look at one text
def not_convergent(llvm_ir: str) -> list[str]:
    """The lines that say it of nothing, though threads execute it together."""
    convergent = {group for group, words in _GROUP.findall(llvm_ir) if "convergent" in words.split()}
    found: list[str] = []
    for line in llvm_ir.splitlines():
        call = _CALL.search(line)
        if call is None or not _TOGETHER.search(what := call["text"] or call["name"] or "") or BY_LLVM.match(what):
            continue
        if not convergent.intersection(re.findall(r"#\d+", line[call.end() :])):
            found.append(line)
    return found
