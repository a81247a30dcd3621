"""lanewise: layout-explicit vector programs to GPU machine code, executed and proved on any machine.

    kernel = lanewise.compile("examples/softmax.mlir", target="sm_90")
    kernel[75](x, y)                                   # numpy arrays, or anything with DLPack
    print(kernel.thread_ir, kernel.ptx)
    print(lanewise.validate(kernel, 75, x, y))

Everything is imported when it is first used, so that `import lanewise` costs milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .support.late_names import late_name
from .support.version import VERSION

if TYPE_CHECKING:
    from .check.compare import Tolerance
    from .check.executor import Executor, ExecutorError, Outcome, Prepared, Terms, prepared_on_arrays
    from .check.on_devices import prepared_on_device
    from .check.report import Report
    from .check.validate import validate
    from .codegen.assemble import AssemblerError, ToolMissingError
    from .codegen.budget import Budget, BudgetError
    from .codegen.isolation import LlvmProcessError
    from .codegen.llvm import LlvmVersionError
    from .front_door import compile
    from .ir.fastmath import FastMathError
    from .ir.printer import print_program
    from .ir.remarks import Remark
    from .jit.arrays import DeviceArray
    from .jit.cache.store import CacheLimitError, CacheWarning, KernelCache
    from .jit.cuda import CudaDevice
    from .jit.device import Device, DeviceError, DeviceUnavailable, LaunchError, NotExecuted, OutOfMemory
    from .jit.emits import StageError
    from .jit.emulated import EmulatedDevice
    from .jit.facts import FactsError
    from .jit.grids import GridError
    from .jit.hip import HipDevice
    from .jit.kernel import Kernel
    from .jit.kernel_file import KernelFileError
    from .jit.loaded import LoadedKernel, ProgramMissing, load
    from .jit.operation import OperationError
    from .jit.program_text import SourceError
    from .jit.signature import ArgumentError
    from .jit.source import parse
    from .lang.grids import NoGrid
    from .lang.helpers import function
    from .lang.python_kernel import kernel
    from .lang.signature import SignatureError
    from .lang.trace import TraceError
    from .layout.dimension import LayoutError
    from .layout.nested import NestedLayout
    from .pipeline.compilation import PassError, PassRun
    from .show.drawing import Drawing
    from .show.explain import explain
    from .show.explanation import Explanation
    from .show.inspect import Page, inspect
    from .show.questions import draw, element, owners
    from .support.diagnostics import CompileError, LanewiseError, ParseError, ProgramError, VerifyError
    from .support.limits import Limits, Progress
    from .targets import Chip as Target
    from .targets import UnknownTargetError, find_chip
    from .tuning.autotune import autotune
    from .tuning.search import Tuning, TuningError, tune

__version__ = VERSION

_HOMES = {
    "ArgumentError": "jit.signature",
    "AssemblerError": "codegen.assemble",
    "Budget": "codegen.budget",
    "BudgetError": "codegen.budget",
    "CacheLimitError": "jit.cache.store",
    "CacheWarning": "jit.cache.store",
    "CompileError": "support.diagnostics",
    "CudaDevice": "jit.cuda",
    "Device": "jit.device",
    "DeviceArray": "jit.arrays",
    "DeviceError": "jit.device",
    "DeviceUnavailable": "jit.device",
    "Drawing": "show.drawing",
    "EmulatedDevice": "jit.emulated",
    "Executor": "check.executor",
    "ExecutorError": "check.executor",
    "Explanation": "show.explanation",
    "FactsError": "jit.facts",
    "FastMathError": "ir.fastmath",
    "GridError": "jit.grids",
    "HipDevice": "jit.hip",
    "Kernel": "jit.kernel",
    "KernelCache": "jit.cache.store",
    "KernelFileError": "jit.kernel_file",
    "LanewiseError": "support.diagnostics",
    "LayoutError": "layout.dimension",
    "LaunchError": "jit.device",
    "NotExecuted": "jit.device",
    "LoadedKernel": "jit.loaded",
    "LlvmProcessError": "codegen.isolation",
    "LlvmVersionError": "codegen.llvm",
    "Limits": "support.limits",
    "NestedLayout": "layout.nested",
    "NoGrid": "lang.grids",
    "OperationError": "jit.operation",
    "Outcome": "check.executor",
    "OutOfMemory": "jit.device",
    "Page": "show.inspect",
    "PassError": "pipeline.compilation",
    "PassRun": "pipeline.compilation",
    "ParseError": "support.diagnostics",
    "Prepared": "check.executor",
    "ProgramError": "support.diagnostics",
    "Progress": "support.limits",
    "ProgramMissing": "jit.loaded",
    "Remark": "ir.remarks",
    "Report": "check.report",
    "SignatureError": "lang.signature",
    "SourceError": "jit.program_text",
    "StageError": "jit.emits",
    "Target": "targets:Chip",
    "Tolerance": "check.compare",
    "Terms": "check.executor",
    "ToolMissingError": "codegen.assemble",
    "TraceError": "lang.trace",
    "Tuning": "tuning.search",
    "TuningError": "tuning.search",
    "UnknownTargetError": "targets",
    "VerifyError": "support.diagnostics",
    "autotune": "tuning.autotune",
    "compile": "front_door",
    "draw": "show.questions",
    "element": "show.questions",
    "explain": "show.explain",
    "find_chip": "targets",
    "function": "lang.helpers",
    "inspect": "show.inspect",
    "kernel": "lang.python_kernel",
    "load": "jit.loaded",
    "owners": "show.questions",
    "parse": "jit.source",
    "prepared_on_arrays": "check.executor",
    "prepared_on_device": "check.on_devices",
    "print_program": "ir.printer",
    "tune": "tuning.search",
    "validate": "check.validate",
}
"""Where each public name stands: `module`, or `module:name` where it is called otherwise there."""

__all__ = [  # noqa: RUF022  # by what one reaches for first
    "kernel",
    "function",
    "compile",
    "load",
    "parse",
    "print_program",
    "validate",
    "draw",
    "owners",
    "element",
    "explain",
    "inspect",
    "tune",
    "autotune",
    "Kernel",
    "LoadedKernel",
    "KernelCache",
    "Report",
    "Drawing",
    "Explanation",
    "Page",
    "Tuning",
    "Remark",
    "Tolerance",
    "Limits",
    "Budget",
    "Progress",
    "PassRun",
    "NestedLayout",
    "Target",
    "find_chip",
    "Device",
    "DeviceArray",
    "CudaDevice",
    "HipDevice",
    "EmulatedDevice",
    "Executor",
    "Prepared",
    "Outcome",
    "Terms",
    "prepared_on_arrays",
    "prepared_on_device",
    "LanewiseError",
    "ProgramError",
    "ParseError",
    "VerifyError",
    "CompileError",
    "LlvmProcessError",
    "LlvmVersionError",
    "SourceError",
    "TraceError",
    "SignatureError",
    "NoGrid",
    "OperationError",
    "TuningError",
    "StageError",
    "PassError",
    "FactsError",
    "FastMathError",
    "BudgetError",
    "GridError",
    "KernelFileError",
    "CacheLimitError",
    "CacheWarning",
    "LayoutError",
    "ProgramMissing",
    "UnknownTargetError",
    "ArgumentError",
    "ExecutorError",
    "DeviceError",
    "DeviceUnavailable",
    "LaunchError",
    "NotExecuted",
    "OutOfMemory",
    "ToolMissingError",
    "AssemblerError",
]


def __getattr__(name: str) -> object:
    return late_name(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
