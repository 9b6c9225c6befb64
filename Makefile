# Needs python3 >= 3.11 with its venv module, and PyPI. Everything else goes into .venv.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
BUNDLE := fixtures/scenarios/prometheus-two-hours/bundle
# The first Python that is new enough; `make PYTHON=/opt/python3.13/bin/python3 test` chooses another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

.PHONY: help demo test test-slow lint types check lab lab-test accuracy bench docs wheel clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

demo: $(VENV)/.installed ## Install into .venv and diagnose the example bundle
	@$(BIN)/etcd-doctor analyze $(BUNDLE)

test: $(VENV)/.dev ## Run the fast tests (under two minutes)
	$(BIN)/python -m pytest -n auto --dist loadfile

test-slow: $(VENV)/.dev ## Run the statistical acceptance, property and packaging tests too
	HYPOTHESIS_PROFILE=searching $(BIN)/python -m pytest -n auto --dist loadfile -m 'not lab'

lint: $(VENV)/.dev ## Check style with ruff
	$(BIN)/ruff check .

types: $(VENV)/.dev ## Check types with mypy --strict
	$(BIN)/mypy

check: lint types test ## lint + types + test: the gate for a change

lab: $(VENV)/.dev ## List the captured incidents that can be made again on a real cluster
	$(BIN)/python -m tests.lab list
	@echo "make one again: $(BIN)/python -m tests.lab run NAME (Linux, go, strace, sysstat, fio; some need root)"

lab-test: $(VENV)/.dev ## Run real etcd processes under faults and diagnose them (go, strace, sysstat)
	$(BIN)/python -m pytest -m lab tests/lab

accuracy: $(VENV)/.dev ## Measure the diagnosis on labelled incidents
	$(BIN)/python -m tests.accuracy

bench: $(VENV)/.dev ## Measure speed and memory on generated logs
	$(BIN)/python -m benchmarks.run

docs: $(VENV)/.dev ## Write the generated blocks of README.md and docs/ again
	$(BIN)/python -m tests.docs_blocks --write

wheel: $(VENV)/bin/python ## Build the wheel into dist/
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean: ## Remove the virtual environment, build products and caches
	rm -rf $(VENV) dist build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@[ -n "$(PYTHON)" ] || { echo "etcd-doctor needs Python 3.11 or newer; found: $$(python3 --version 2>&1 || true)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) -m venv failed: on Debian and Ubuntu, apt-get install python3-venv" >&2; exit 1; }

# Editable, so that a change of the code needs no new installation; a change of the dependencies does.
$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed
