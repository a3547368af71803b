# Two commands: `make run` and `make test`. Both install what they need, once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
INPUTS := pyproject.toml constraints.txt
PACK := content/ladder_content/packs/runtime-ladder

.PHONY: help run setup test lint shots pictures keys models bench-engine bench-live bench-start bench-study clean

help:
	@echo "make run         open Runtime Ladder (with no display: a tour in pictures, in tour/)"
	@echo "make test        check style, types and import walls, and run every test"
	@echo "make setup       only install what both need"
	@echo "make shots       every page in two themes and two sizes of text, as pictures in shots/, to look at"
	@echo "make pictures    make the pictures of the README again"
	@echo "make keys        make docs/keys.md again, the table of all keys"
	@echo "make models      train the bundled models again from the lesson text (about an hour on one core)"
	@echo "make bench-engine  the engine's speed against transformers' (about a quarter of an hour)"
	@echo "make bench-live  frame times of the live panel while the engine works, jumps in a long recording, memory of an hour"
	@echo "make bench-start time to the window, beside a bare PySide6 window"
	@echo "make bench-study the study store at 20,000 cards and 200,000 reviews, beside Anki"

run: setup
	@$(BIN)/runtime-ladder open --or-tour tour

setup: $(VENV)/.ready

$(VENV)/.ready: $(INPUTS)
	@$(PYTHON) desktop/ladder_desktop/system_check.py --install
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Runtime Ladder into $(VENV) (once; a few minutes)"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.ready-test: $(VENV)/.ready $(INPUTS)
	@$(PIP) --editable '.[test]'
	@touch $@

test: $(VENV)/.ready-test lint
	@$(BIN)/python -m pytest -n 2 --dist loadgroup

lint: $(VENV)/.ready-test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

shots: $(VENV)/.ready-test
	@PYTHONPATH=desktop:content:engine:kernels QT_QPA_PLATFORM=offscreen $(BIN)/python -m tests.desktop.shots shots

pictures: setup
	@$(BIN)/runtime-ladder tour --out tour
	@mkdir -p docs && cp tour/drill.png docs/drill.png && cp tour/live.png docs/live.png

keys: setup
	@$(BIN)/runtime-ladder keys > docs/keys.md

models: setup
	@mkdir -p build
	@$(BIN)/python -m ladder_content text $(PACK) > build/corpus.txt
	@$(BIN)/python -m ladder_engine.training.train build/corpus.txt engine/ladder_engine/models
	@$(BIN)/python -m ladder_engine.training.acceptance build/corpus.txt engine/ladder_engine/models

bench-engine: $(VENV)/.ready-test
	@$(BIN)/python -m tests.engine.bench_engine

bench-live: setup
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m ladder_desktop.live.bench
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m ladder_desktop.live.bench_scrub
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m ladder_desktop.live.bench_scrub hour

bench-start: setup
	@$(BIN)/python -m ladder_desktop.bench_start

bench-study: $(VENV)/.ready-test
	@PYTHONPATH=desktop:content:engine:kernels $(BIN)/python -m tests.study.bench_study

clean:
	@rm -rf $(VENV) build tour shots .pytest_cache .mypy_cache .ruff_cache
