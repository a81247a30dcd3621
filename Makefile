# Short names for what a contributor runs. `make` alone lists them.
PYTHON ?= python3
LAYERS := support targets ir analysis frontend reference layout schedule distribute codegen pipeline emulate timing jit lang check tuning show cli
CHIPS ?= sm_90

.DEFAULT_GOAL := help
.PHONY: help check test test-fast bless hardware hardware-bundle probe bench bench-check bench-counts sweep bench-gpu figures site dist

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

check: build/types/lanewise ## style and types, without running anything
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	MYPYPATH=build/types $(PYTHON) -m mypy -m lanewise $(LAYERS:%=-p lanewise.%)
	MYPYPATH=build/types $(PYTHON) -m mypy --explicit-package-bases examples
	$(PYTHON) -m pyright --pythonpath "$$($(PYTHON) -c 'import sys; print(sys.executable)')"

# mypy looks for the package by its name, which the checkout's folder need not have.
build/types/lanewise:
	mkdir -p build/types
	ln -sfn ../.. $@

test: ## every test this machine can run
	$(PYTHON) -m pytest -n auto

test-fast: ## while you change ROOM=layout: its tests, and a few programs on every executor, in under a minute
	$(PYTHON) -m pytest -n auto --fast=$(ROOM)

bless: ## rewrite the expected text of the filetests from what is produced now; read the difference before committing it
	$(PYTHON) -m pytest tests/filetests --bless

hardware: ## what chips do that we believe, then every example on the GPU of this machine against its meaning
	-$(PYTHON) bench/silicon_probe.py
	$(PYTHON) bench/hardware.py

probe: ## every matrix instruction of this machine's GPU: are elements where the tables have them
	$(PYTHON) bench/probe.py

hardware-bundle: ## the kernels of hardware, bench-gpu and probe for CHIPS, for GPU machines without LLVM
	$(PYTHON) bench/hardware_bundle.py $(CHIPS)

bench: ## compile times, emulator speed and counts of the code; no GPU needed
	$(PYTHON) bench/run.py

bench-counts: ## what the examples' code costs (registers, instructions, sectors ...); OLD=TABLE compares with another version
	$(PYTHON) bench/counts.py $(if $(OLD),--compare $(OLD))

bench-check: ## fail where the examples' code is more than 5 % worse than what is recorded in bench/results
	$(PYTHON) bench/counts.py --check

sweep: ## instructions of 46 programs on each of four chips beside Triton's, worst first (extra `isa`); rewrites bench/results/sweep.json
	$(PYTHON) bench/sweep.py

bench-gpu: ## throughput on the GPU of this machine, beside other libraries and the chip's ceilings
	$(PYTHON) bench/gpu.py

site: ## the documents as a site, with a reference made from the package (extra `docs`)
	$(PYTHON) docs/site/build.py

dist: ## what is released: source distribution and the wheel made of it, both checked (extra `release`)
	rm -rf dist
	$(PYTHON) -m build
	$(PYTHON) -m twine check --strict dist/*
	$(PYTHON) -m check_wheel_contents dist/*.whl

figures: ## how the package's own text is built: lines by room, lengths of files and functions, what depends on what
	$(PYTHON) bench/house.py
