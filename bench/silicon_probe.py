"""What `make hardware` asks first: does a Hopper GPU do what lanewise's compiler and emulator believe of it?

Raw PTX and the driver, nothing of lanewise: needs Python, numpy and cuda-bindings. Each question has a process of its
own, since several are expected to end in a fault, and the file of results is whole after each. Exit code 0: all beliefs
hold; 1: one does not; 2: no such GPU; 3: not everything was asked.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from checkout import RESULTS
from isolated import Failure, Tell, Worker
from results_file import Results
from silicon_kernels import BOX_BYTES, LOAD, LOAD_SHARED, PARAMETERS, STORE, STORE_SHARED, STORED

Halves = npt.NDArray[np.uint16]

SECONDS = 60.0
"""For one question, the driver's start included."""
SHAPE = (16, 64)
"""Of the tensor that boxes are loaded from: halves, each its own number."""
EXTENT = 70
"""Of the tensor that a box is stored to: no whole 16 bytes."""
CUT_OFF = (1 << 31) - 256
"""Where lanewise begins boxes that 32 bits cannot name (codegen/emit/tensor_map.py)."""
AS_BELIEVED = "as believed"
_ATOM_ROWS: Mapping[int, int] = {0: 0, 1: 1, 2: 3, 3: 7}
"""By the driver's number of a swizzle: which bits of the row's number are mixed into that of a piece of 16 bytes."""


class Refused(Exception):
    """The driver's name of an error, and what it was asked for."""


class Gpu:
    """The first device, in its primary context."""

    def __init__(self) -> None:
        self.api: Any = import_module("cuda.bindings.driver")
        self.done("opening", self.api.cuInit(0))
        self._device = self.done("opening", self.api.cuDeviceGet(0))
        context = self.done("opening", self.api.cuDevicePrimaryCtxRetain(self._device))
        self.done("opening", self.api.cuCtxSetCurrent(context))

    def done(self, what: str, answer: tuple[Any, ...]) -> Any:
        """What a call answers besides that it succeeded."""
        if answer[0]:
            raise Refused(f"{what}: {self.api.cuGetErrorName(answer[0])[1].decode()}")
        return answer[1] if len(answer) > 1 else None

    def look(self) -> dict[str, Any]:
        names = self.api.CUdevice_attribute
        major, minor = (
            self.done("looking", self.api.cuDeviceGetAttribute(attribute, self._device))
            for attribute in (
                names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                names.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
            )
        )
        name = self.done("looking", self.api.cuDeviceGetName(128, self._device)).split(b"\0")[0].decode()
        version = self.done("looking", self.api.cuDriverGetVersion())
        driver = f"CUDA {version // 1000}.{version % 1000 // 10}"
        return {"device": name, "chip": f"sm_{major}{minor}", "driver": driver}

    def kernel(self, ptx: str, shared: int = 0) -> Any:
        module = self.done("loading", self.api.cuModuleLoadDataEx(ptx.encode() + b"\0", 0, [], []))
        function = self.done("loading", self.api.cuModuleGetFunction(module, b"k"))
        most = self.api.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        if shared > 48 << 10:
            self.done("loading", self.api.cuFuncSetAttribute(function, most, shared))
        return function

    def launch(self, function: Any, arguments: Sequence[bytes], shared: int = 0) -> None:
        """With a pointer to each argument, which says nothing about how they lie together."""
        given = [ctypes.create_string_buffer(a, len(a)) for a in arguments]
        pointers = (ctypes.c_void_p * len(given))(*map(ctypes.addressof, given))
        one = (1, 1, 1, 1, 1, 1)
        self.done("launch", self.api.cuLaunchKernel(function, *one, shared, 0, ctypes.addressof(pointers), 0))
        self.done("fault", self.api.cuCtxSynchronize())

    def launch_packed(self, function: Any, arguments: Sequence[bytes], offsets: Sequence[int]) -> None:
        """As one buffer in the `extra` array."""
        packed = bytearray(max(o + len(a) for o, a in zip(offsets, arguments, strict=True)))
        for offset, argument in zip(offsets, arguments, strict=True):
            packed[offset : offset + len(argument)] = argument
        buffer, size = ctypes.create_string_buffer(bytes(packed), len(packed)), ctypes.c_size_t(len(packed))
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(buffer), 2, ctypes.addressof(size), 0)
        self.done("launch", self.api.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, ctypes.addressof(extra)))
        self.done("fault", self.api.cuCtxSynchronize())

    def offsets(self, function: Any) -> list[int]:
        """Of its parameters, as the driver tells them."""
        found: list[int] = []
        while True:
            error, *answer = self.api.cuFuncGetParamInfo(function, len(found))
            if error:
                return found
            found.append(int(answer[0]))

    def upload(self, array: npt.NDArray[Any]) -> int:
        address = int(self.done("allocating", self.api.cuMemAlloc(max(array.nbytes, 256))))
        self.done("copying", self.api.cuMemcpyHtoD(address, array.ctypes.data, array.nbytes))
        return address

    def download(self, address: int, count: int, dtype: type[np.generic]) -> npt.NDArray[Any]:
        array = np.zeros(count, dtype)
        self.done("copying", self.api.cuMemcpyDtoH(array.ctypes.data, address, array.nbytes))
        return array

    def map(
        self, address: int, shape: Sequence[int], box: Sequence[int], swizzle: int = 0, misplaced: int = 0
    ) -> bytes:
        """Of halves, made `misplaced` bytes behind an address of whole 128; extents are outermost first."""
        memory = ctypes.create_string_buffer(512)
        place = -(-ctypes.addressof(memory) // 128) * 128 + misplaced
        rank, half = len(shape), 2
        strides = [math.prod(shape[n + 1 :]) * half for n in range(rank - 1)]
        extents, steps = ((ctypes.c_uint64 * len(given))(*reversed(given)) for given in (shape, strides))
        boxes, ones = ((ctypes.c_uint32 * rank)(*reversed(given)) for given in (box, [1] * rank))
        entry = self.done("looking up", self.api.cuGetProcAddress(b"cuTensorMapEncodeTiled", 12000, 0))
        encode = ctypes.CFUNCTYPE(
            *(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32),
            *[ctypes.c_void_p] * 5,
            *[ctypes.c_int] * 4,
        )(int(entry))
        float16 = int(self.api.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16)
        not_interleaved, not_promoted, zeros = 0, 0, 0
        code = encode(
            *(place, float16, rank, address),
            *(ctypes.addressof(array) for array in (extents, steps, boxes, ones)),
            *(not_interleaved, swizzle, not_promoted, zeros),
        )
        self.done("making a map", (self.api.CUresult(code),))
        return ctypes.string_at(place, 128)


def word(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "little")


def long(number: int) -> bytes:
    return number.to_bytes(8, "little")


# Questions. Each gives the answer in words; a Refused is an answer, too.


def passed(way: str) -> str:
    """Whether a map reaches the kernel as it was passed."""
    gpu, map, number = Gpu(), bytes(range(1, 129)), 77
    function, out = gpu.kernel(PARAMETERS), gpu.upload(np.zeros(256, np.uint8))
    arguments = [long(out), word(number), map]
    if way == "pointers":
        gpu.launch(function, arguments)
    else:
        gpu.launch_packed(function, arguments, gpu.offsets(function) if way == "driver" else [0, 8, 64])
    found = gpu.download(out, 256, np.uint8)
    aligned = int(found[136:144].view(np.uint64)[0]) % 64 == 0
    same = found[:128].tobytes() == map and int(found[128:132].view(np.uint32)[0]) == number
    return f"{AS_BELIEVED if same else 'other bytes'}{'' if aligned else ', not aligned in the kernel'}"


def made(misplaced: int) -> str:
    """Whether the driver makes a map there, and the same."""
    gpu = Gpu()
    address = gpu.upload(np.zeros(SHAPE, np.uint16))
    right, found = (gpu.map(address, SHAPE, (8, 64), 3, misplaced=distance) for distance in (0, misplaced))
    return AS_BELIEVED if right == found else "another map"


def loaded(x: int, y: int, swizzle: int, columns: int = 64, at: int = 0) -> str:
    """How a box of 8 rows comes to lie in shared memory."""
    gpu, rows = Gpu(), 8
    tensor = numbered()
    map = gpu.map(gpu.upload(tensor), SHAPE, (rows, columns), swizzle)
    nbytes = rows * columns * 2
    assert at + nbytes <= BOX_BYTES
    out = gpu.upload(np.zeros(nbytes + 16, np.uint8))
    arguments = [long(out), word(x), word(y), word(nbytes), word(at), map]
    gpu.launch(gpu.kernel(LOAD, LOAD_SHARED), arguments, LOAD_SHARED)
    return lies(gpu.download(out, nbytes + 16, np.uint8), box_of(tensor, x, y, (rows, columns)), swizzle)


def numbered() -> Halves:
    return np.arange(1, 1 + math.prod(SHAPE), dtype=np.uint16).reshape(SHAPE)


def box_of(tensor: Halves, x: int, y: int, shape: tuple[int, int]) -> Halves:
    """Zeros outside."""
    rows, columns = y + np.arange(shape[0])[:, None], x + np.arange(shape[1])
    inside = (rows >= 0) & (rows < tensor.shape[0]) & (columns >= 0) & (columns < tensor.shape[1])
    found = tensor[rows.clip(0, tensor.shape[0] - 1), columns.clip(0, tensor.shape[1] - 1)]
    return np.where(inside, found, 0).astype(np.uint16)


def lies(found: npt.NDArray[np.uint8], box: Halves, swizzle: int) -> str:
    """What LOAD wrote, in words."""
    complete, start = (int(n) for n in found[:8].view(np.uint32))
    memory = found[16:].view(np.uint16)
    if not complete:
        return "its bytes never came"
    if np.array_equal(memory, placed(box, start, swizzle)):
        return AS_BELIEVED
    return "plain rows" if np.array_equal(memory, box.reshape(-1)) else "elsewhere"


def placed(box: Halves, start: int, swizzle: int) -> Halves:
    """How it lies from address `start` on, if bits of absolute addresses are mixed: those of rows of 128 bytes, into
    those of pieces of 16."""
    pieces = start + np.arange(0, box.nbytes, 16)
    target = ((pieces ^ ((pieces >> 7 & _ATOM_ROWS[swizzle]) << 4)) - start) // 16
    out = np.zeros((len(pieces), 8), np.uint16)
    inside = (target >= 0) & (target < len(pieces))
    out[target[inside]] = box.reshape(-1, 8)[inside]
    return out.reshape(-1)


def stored(x: int, extent: int) -> str:
    """Which halves a box of 128 changes from x on."""
    gpu, before = Gpu(), np.full(256, 0x7777, np.uint16)
    address = gpu.upload(before)
    gpu.launch(gpu.kernel(STORE, STORE_SHARED), [word(x), gpu.map(address, (extent,), (128,))], STORE_SHARED)
    return changed(gpu.download(address, 256, np.uint16))


def changed(memory: Halves) -> str:
    places = np.flatnonzero(memory == STORED)
    return f"{places[0]} to {places[-1]}" if places.size else "nothing"


@dataclass(frozen=True)
class Question:
    """`believed`: a pattern of the answers with which lanewise is right; none where it counts on no answer."""

    ask: Callable[[], str]
    believed: str | None = AS_BELIEVED


_FAULT = r"fault: .*"
_NOT_WHOLE = {"coordinate 1": 1, "coordinate 4": 4, "coordinate -1": -1}
QUESTIONS: Mapping[str, Question] = {
    "maps among pointers to arguments": Question(partial(passed, "pointers")),
    "maps in a buffer, where the driver says": Question(partial(passed, "driver"), None),
    "maps in a buffer, as in a C struct": Question(partial(passed, "struct"), None),
    "maps made at 64 of 128 bytes": Question(partial(made, 64)),
    "maps made at 48 of 128 bytes": Question(partial(made, 48), None),
    "no swizzle": Question(partial(loaded, 0, 0, 0)),
    "swizzle of 32 bytes": Question(partial(loaded, 0, 0, 1, columns=16)),
    "swizzle of 64 bytes": Question(partial(loaded, 0, 0, 2, columns=32)),
    "swizzle of 128 bytes": Question(partial(loaded, 0, 0, 3)),
    "swizzle of 128 bytes, at 512": Question(partial(loaded, 0, 0, 3, at=512), None),
    "coordinate 8": Question(partial(loaded, 8, 0, 3)),
    "half outside": Question(partial(loaded, 32, 12, 3)),
    "negative": Question(partial(loaded, -8, -3, 3)),
    "all outside": Question(partial(loaded, 0, 1000, 3)),
    "far outside, where lanewise cuts off": Question(partial(loaded, CUT_OFF, 0, 3)),
    "far outside below": Question(partial(loaded, -(1 << 31), 0, 3)),
    "the largest coordinate": Question(partial(loaded, (1 << 31) - 1, 0, 3), None),
    "1 + 64, all outside": Question(partial(loaded, 65, 0, 3), None),
    **{name: Question(partial(loaded, x, 0, 3), _FAULT) for name, x in _NOT_WHOLE.items()},
    "coordinate 1, no swizzle": Question(partial(loaded, 1, 0, 0), _FAULT),
    "a store of 64 of 128 halves": Question(partial(stored, 0, 64), "0 to 63"),
    f"a store of {EXTENT} of 128 halves": Question(partial(stored, 0, EXTENT), f"0 to {-(-EXTENT // 8) * 8 - 1}"),
    "a store at 8": Question(partial(stored, 8, 64), "8 to 63"),
    "a store at 1": Question(partial(stored, 1, 64), _FAULT),
}


def work(name: str, tell: Tell) -> dict[str, Any]:
    """In a process of its own: one question, or a look at the device."""
    tell("opening the device")
    if name == "look":
        return Gpu().look()
    question = QUESTIONS[name]
    tell("asking")
    try:
        answer = question.ask()
    except Refused as refusal:
        answer = str(refusal)
    holds = question.believed is None or re.fullmatch(question.believed, answer)
    return {"answer": answer, "verdict": "right" if holds else "OTHER"}


def table(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line a question: what was believed, and what the chip said."""
    rows = [("question", "believed", "answer", "verdict")]
    for entry in entries:
        believed = "(nothing)" if entry["believed"] is None else entry["believed"]
        rows.append((entry["program"], believed, entry.get("answer", entry.get("reason", "")), entry["verdict"]))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [
        "  ".join([*(part.ljust(width) for part, width in zip(row[:3], widths, strict=True)), row[3]]) for row in rows
    ]


def ask_all(worker: Worker, results: Results, limit: float) -> None:
    for index, entry in enumerate(results.entries):
        start = time.monotonic()
        found = worker.do(entry["program"], limit)
        worker.renew()
        put = results.put(index, found, time.monotonic() - start)
        told = put.get("answer", put.get("reason", ""))
        print(f"[{index + 1}/{len(results.entries)}] {put['program']}: {told}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", nargs="*", metavar="question", help="what to ask, everything if nothing is named")
    parser.add_argument("--limit", type=float, default=SECONDS, help="seconds for one question")
    parser.add_argument("-o", "--output", type=Path, help="instead of bench/results/silicon-CHIP.json")
    options = parser.parse_args()
    if unknown := [name for name in options.questions if name not in QUESTIONS]:
        parser.error(f"no question {unknown[0]!r}; there are {', '.join(QUESTIONS)}")
    with Worker(work) as worker:
        found = worker.do("look", options.limit)
        if isinstance(found, Failure):
            print(f"error: {found.reason}", file=sys.stderr)
            return 2
        print(f"{found['device']}, {found['chip']}, {found['driver']}", flush=True)
        if found["chip"] != "sm_90":
            print(f"error: the questions are about sm_90, found {found['chip']}", file=sys.stderr)
            return 2
        worker.renew()
        place = options.output or RESULTS / f"silicon-{found['chip']}.json"
        names = options.questions or list(QUESTIONS)
        cases = [{"program": name, "sizes": {}, "believed": QUESTIONS[name].believed} for name in names]
        results = Results(place, found | {"finished": False}, cases)
        ask_all(worker, results, options.limit)
        results.write(finished=True)
    print("\n".join([*table(results.entries), *results.summary()]))
    return results.exit_code


if __name__ == "__main__":
    sys.exit(main())
