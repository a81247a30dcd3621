"""`make probe`: the matrix instructions of this machine's GPU, from bench/bundle/ where it lies (`lanewise probe`)."""

from __future__ import annotations

import sys

from checkout import use_checkout
from kernels import BUNDLE, NoKernels, check_kernels
from this_gpu import executor_of, open_gpu

use_checkout()

import lanewise  # noqa: E402
from lanewise.cli.main import main  # noqa: E402

if __name__ == "__main__":
    try:
        target = open_gpu().properties.target
        print(check_kernels(target))
    except (lanewise.LanewiseError, NoKernels) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    kernels = ["--kernels", str(BUNDLE / target / "probes")] if BUNDLE.exists() else []
    sys.exit(main(["probe", "--target", target, "--on", executor_of(target), *kernels]))
