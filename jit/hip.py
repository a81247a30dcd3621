"""AMD devices through the HIP runtime API of hip-python, the only importer of it.

HIP, as torch and cupy use it, keeps one current device a thread. It is set for each call and put back after it. HIP
loads code objects only, and reads them in place: the bytes of a loaded module are kept until it is unloaded. What a
kernel takes is read from the code object itself. A fault in a kernel mostly ends the process, whatever is done here.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from ..codegen.link import CodeObjectError, KernelInfo, read_code_object
from ..support.dataclasses import dataclass
from ..support.patterns import regex
from ..targets.catalogue import find_chip
from ..targets.chip import Chip, UnknownTargetError
from .device import Code, DeviceError, DeviceProperties, DeviceUnavailable, Function, LaunchError, Resources, Tensor
from .driver import Bracket, Call, Calls, Current, DriverDevice, DriverFunction, Wording

DLPACK_ROCM = 10
_END_OF_EXTRA = 3  # HIP_LAUNCH_PARAM_END; CUDA's is 0

_WORDING = Wording(
    driver="HIP runtime",
    out_of_memory="hipErrorOutOfMemory",
    faults=frozenset(
        {
            "hipErrorIllegalAddress",
            "hipErrorLaunchTimeOut",
            "hipErrorAssert",
            "hipErrorLaunchFailure",
            "hipErrorECCNotCorrectable",
        }
    ),
    gone=frozenset({"hipErrorDeinitialized", "hipErrorContextIsDestroyed"}),
    captures_elsewhere="hipErrorStreamCaptureImplicit",
)


@dataclass(frozen=True, slots=True, eq=False)
class HipFunction(DriverFunction):
    """A kernel in a loaded module. `info` is what its code object says of it."""

    info: KernelInfo

    @property
    def cooperative_offsets(self) -> tuple[int, ...]:
        return self.info.argument_offsets


_BYTES = regex(r"'?b'([^']*)'*")
"""How hip-python's message has names and the loader's words."""


class HipDevice(DriverDevice):
    """One AMD GPU.

    Args:
        ordinal: Its number among the devices that the runtime shows.
        api: What stands in for the module ``hip.hip``; None imports it.

    Raises:
        DeviceUnavailable: hip-python, the runtime, or the device is missing; the message says which.
    """

    loads: Literal["text", "image"] = "image"

    def __init__(self, ordinal: int = 0, api: Any = None) -> None:
        super().__init__(_WORDING, _END_OF_EXTRA)
        self._api = import_runtime() if api is None else api
        self._initialise(ordinal)
        self.ordinal = ordinal
        self._images: dict[int, bytes] = {}
        self._calls = _calls(self._function)
        self._get_device, self._set_device = self._function("hipGetDevice"), self._function("hipSetDevice")
        self.properties = self._read_properties()
        self.has_pool = self._reads_pool()
        self._chip = find_chip(self.properties.target)

    def _initialise(self, ordinal: int) -> None:
        try:
            answer = self._api.hipInit(0)
        except RuntimeError as error:  # hip-python loads the runtime at the first call
            words = _BYTES.sub(r"\1", str(error))
            raise DeviceUnavailable(
                f"the HIP runtime (libamdhip64.so) was not found: install ROCm, or share it with the container; {words}"
            ) from error
        if not answer[0]:
            answer = self._function("hipGetDeviceCount")()
        if answer[0]:
            raise DeviceUnavailable(f"the HIP runtime cannot be used: it answered {self._describe(answer[0])}")
        if not 0 <= ordinal < answer[1]:
            raise DeviceUnavailable(f"HIP device {ordinal} was asked for; the runtime shows {answer[1]} devices")

    def _read_properties(self) -> DeviceProperties:
        doing = f"opening HIP device {self.ordinal}"
        found = self._check(self._function("hipGetDeviceProperties")(self.ordinal), doing)
        version: int = self._check(self._function("hipDriverGetVersion")(), "reading the runtime's version")
        return DeviceProperties(
            name=_text(found.name),
            target=self._find_chip(_text(found.gcnArchName)).name,
            subgroup_size=int(found.warpSize),
            max_threads_per_workgroup=int(found.maxThreadsPerBlock),
            shared_memory_bytes=int(found.sharedMemPerBlock),
            multiprocessors=int(found.multiProcessorCount),
            driver=f"HIP {version // 10_000_000}.{version // 100_000 % 100}.{version % 100_000}",
            dlpack_device=(DLPACK_ROCM, self.ordinal),
        )

    def _reads_pool(self) -> bool:
        """A runtime that lacks the question has no pool."""
        asked = self._api.hipDeviceAttribute_t.hipDeviceAttributeMemoryPoolsSupported
        with contextlib.suppress(DeviceError):
            error, value = self._function("hipDeviceGetAttribute")(asked, self.ordinal)
            return not error and bool(value)
        return False

    def _find_chip(self, architecture: str) -> Chip:
        """The chip of `gfx90a:sramecc+:xnack-`; code compiled for it runs in either setting of its features."""
        try:
            return find_chip(architecture.split(":")[0])
        except UnknownTargetError as error:
            raise DeviceUnavailable(f"HIP device {self.ordinal} cannot be used: {error}") from error

    def _function(self, name: str) -> Call:
        """A function of the runtime. hip-python raises where the library lacks it, or answers with an unknown code."""
        call = getattr(self._api, name)

        def guarded(*arguments: Any) -> tuple[Any, ...]:
            try:
                answer: tuple[Any, ...] = call(*arguments)
            except (RuntimeError, ValueError) as error:
                raise DeviceError(f"{name}: hip-python and the HIP runtime do not fit together: {error}") from error
            return answer

        return guarded

    def enter(self) -> int:
        previous: int = self._check(self._get_device(), "reading the current device")
        if previous != self.ordinal:
            self._check(self._set_device(self.ordinal), f"making HIP device {self.ordinal} current")
        return previous

    def leave(self, previous: object) -> None:
        if previous != self.ordinal:
            with contextlib.suppress(DeviceError):
                self._set_device(previous)

    @property
    def bracket(self) -> Bracket:
        return Bracket(
            ("previous = enter()",),
            ("leave(previous)",),
            {"enter": self.enter, "leave": self.leave, "default_handle": 0},
        )

    def _name(self, code: Any) -> str:
        return str(code.name)

    def _text(self, code: Any) -> str:
        error, text = self._api.hipGetErrorString(code)
        return "" if error or text is None else _text(text)

    # Memory

    def accessible(self, address: int) -> bool:
        with Current(self):
            error, found = self._function("hipPointerGetAttributes")(address)
            if error:  # the runtime knows no such memory; other libraries shall not find this error later
                self._function("hipGetLastError")()
                return False
        if found.type == self._api.hipMemoryType.hipMemoryTypeUnregistered:
            return False
        return bool(found.device == self.ordinal or found.isManaged)

    # Code

    def tensor_map(self, tensor: Tensor) -> bytes:
        raise DeviceError(f"{self.properties.target} has no tensor memory accelerator")

    def load(self, code: Code, *, dynamic_shared_bytes: int = 0) -> HipFunction:
        """Loads a code object. Raises LaunchError, too, for one that is damaged, or made for another chip."""
        image, info = self._read(code)
        self._check_shared(code, info.group_segment_bytes, dynamic_shared_bytes)
        with Current(self):
            module = self._check_load(self._function("hipModuleLoadData")(image), code)
            try:
                get = self._function("hipModuleGetFunction")
                handle = self._check_load(get(module, code.kernel.encode()), code)
            except DeviceError:
                self._calls.unload(module)
                raise
        self._images[int(module)] = image
        resources = Resources(
            registers=info.vgpr,
            local_bytes=info.private_segment_bytes,
            static_shared_bytes=info.group_segment_bytes,
            max_threads=info.max_flat_workgroup_size,
        )
        return HipFunction(self, module, handle, code.kernel, resources, info.argument_bytes, (), info)

    def _read(self, code: Code) -> tuple[bytes, KernelInfo]:
        if code.image is None:
            raise LaunchError(f"kernel {code.kernel!r}: HIP loads code objects, found AMDGCN text alone")
        if not _serves(code.target, self._chip):
            raise LaunchError(f"kernel {code.kernel!r}: code for {code.target} does not run on {self._chip.name}")
        try:
            kernels = read_code_object(code.image).kernels
        except CodeObjectError as error:
            raise LaunchError(f"kernel {code.kernel!r}: {error}") from error
        if code.kernel not in kernels:
            found = ", ".join(kernels) or "none"
            raise LaunchError(f"kernel {code.kernel!r} is not in the code object; it has {found}")
        return code.image, kernels[code.kernel]

    def unload(self, function: Function) -> None:
        super().unload(function)
        self._images.pop(int(self._own(function).module))


def _serves(target: str, chip: Chip) -> bool:
    try:
        return find_chip(target).serves(chip)
    except UnknownTargetError:
        return False


def _cooperative(call: Call, programmatic: bool, *numbers: Any) -> tuple[Any, ...]:
    """It takes parameters one by one alone. No chip of AMD's has programmatic launches."""
    *configured, parameters, _ = numbers
    return call(*configured, parameters)


def _calls(function: Callable[[str], Call]) -> Calls:
    return Calls(
        allocate=function("hipMalloc"),
        free=function("hipFree"),
        copy_in=function("hipMemcpyHtoDAsync"),
        copy_out=function("hipMemcpyDtoHAsync"),
        fill=function("hipMemsetD8Async"),
        unload=function("hipModuleUnload"),
        launch=function("hipModuleLaunchKernel"),
        launch_cooperative=partial(_cooperative, function("hipModuleLaunchCooperativeKernel")),
        resident=function("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"),
        allocate_in=function("hipMallocAsync"),
        free_in=function("hipFreeAsync"),
        synchronize=function("hipDeviceSynchronize"),
        synchronize_stream=function("hipStreamSynchronize"),
        capturing=function("hipStreamIsCapturing"),
        create_event=function("hipEventCreate"),
        destroy_event=function("hipEventDestroy"),
        record_event=function("hipEventRecord"),
        wait_event=function("hipEventSynchronize"),
        milliseconds=function("hipEventElapsedTime"),
    )


def import_runtime() -> Any:
    """The module ``hip.hip``; raises DeviceUnavailable when hip-python is not installed."""
    try:
        return importlib.import_module("hip").hip
    except (ImportError, AttributeError) as error:
        raise DeviceUnavailable("the package hip-python is not installed: pip install 'lanewise[hip]'") from error


def _text(value: object) -> str:
    """Texts come as str, bytes or a C string of hip-python, by version."""
    return value.split(b"\0")[0].decode() if isinstance(value, bytes) else str(value)
