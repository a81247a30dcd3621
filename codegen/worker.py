"""The process that runs LLVM for another: requests on its standard input, answers on its standard output.

A message is the lengths of two parts, 8 bytes each, then a JSON object and bytes: LLVM IR in, LLVM IR, machine text or
an object out. The module of the last compilation is kept, so that its machine code needs no second reading. What LLVM
writes about its end goes to standard error. The process ends with its input.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import struct
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, BinaryIO

from ..support.dataclasses import replace
from ..targets import CHIPS, Chip
from .llvm import CodegenError, Compiled, LlvmVersionError, Timing, compile_text, generation_level, prepare

_LENGTHS = struct.Struct("<QQ")
_LOOK_EVERY = 0.5
"""Seconds."""
Header = dict[str, Any]


def send(stream: BinaryIO, header: Mapping[str, Any], body: bytes) -> None:
    words = json.dumps(header).encode()
    stream.write(_LENGTHS.pack(len(words), len(body)) + words + body)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[Header, bytes] | None:
    """The next message; None where the stream ends before or inside one."""
    lengths = stream.read(_LENGTHS.size)
    if len(lengths) < _LENGTHS.size:
        return None
    words, body = _LENGTHS.unpack(lengths)
    content = stream.read(words + body)
    return (json.loads(content[:words]), content[words:]) if len(content) == words + body else None


ERRORS: Mapping[str, type[Exception]] = {cls.__name__: cls for cls in (CodegenError, LlvmVersionError)}
"""What an answer may be instead, raised again on the other side."""


def main() -> None:
    """Serves until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # so that nothing else writes between answers
    with contextlib.suppress(ImportError, OSError, ValueError):  # not on every system
        resource: Any = importlib.import_module("resource")
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    threading.Thread(target=follow, args=(os.getppid(),), daemon=True).start()
    serve(sys.stdin.buffer, answers)


def follow(parent: int) -> None:
    """Ends this process once `parent` did not live to do it: LLVM at work would not see the end of the input."""
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY)
    os._exit(1)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    with contextlib.suppress(LlvmVersionError):  # said again to whoever asks for something
        prepare()
    server = _Server()
    while (message := receive(requests)) is not None:
        header, body = message
        try:
            answer, result = server.tasks[header["task"]](header, body.decode())
        except tuple(ERRORS.values()) as error:
            answer, result = {"error": type(error).__name__, "message": str(error)}, b""
        send(answers, answer, result)


class _Server:
    def __init__(self) -> None:
        self._last: tuple[int, Compiled] | None = None
        self.tasks: Mapping[str, Callable[[Header, str], tuple[Header, bytes]]] = {
            "compile": self._compile,
            "assembly": lambda header, text: ({}, self._compiled(header, text).assembly.encode()),
            "object": lambda header, text: ({}, self._compiled(header, text).object),
        }

    def _compile(self, header: Header, text: str) -> tuple[Header, bytes]:
        chip = _chip(header)
        compiled = compile_text(text, chip, optimise=header["optimise"], copies=chip.vendor == "amd")
        self._last = header["serial"], compiled
        return asdict(compiled.timing), compiled.optimised_ir.encode()

    def _compiled(self, header: Header, optimised_ir: str) -> Compiled:
        if self._last is not None and self._last[0] == header["serial"]:
            return self._last[1]
        chip = _chip(header)
        level = generation_level(optimised_ir, chip)
        return Compiled(chip, optimised_ir, Timing(0.0, 0.0), level, optimise=False, optimised=[])


def _chip(header: Header) -> Chip:
    return replace(CHIPS[header["chip"]], ptx_isa=header["ptx_isa"])
