# make demo    a seeded game of Atlanteon: played, logged, verified, undone, explained, fuzzed; and longer games
# make test    everything that must hold for a change
# make long    the long counts, one line each
# make bench   how fast generated code runs
# make clean   remove what was made

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
GAMES  := $(wildcard games/*.rules games/*/*.rules)
LOCKED := $(patsubst %.lock,%.rules,$(wildcard games/*.lock games/*/*.lock))
LOGS   := $(wildcard games/logs/*/*.jsonl)
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test lint types unit games long bench clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

demo: $(VENV)/installed
	$(BIN)/rulesdsl demo

test: lint types unit games
	@echo "all checks passed"

lint: $(VENV)/installed-test
	$(BIN)/ruff check .

types: $(VENV)/installed-test
	$(BIN)/mypy

unit: $(VENV)/installed-test
	$(BIN)/pytest -q -n 2

games: $(VENV)/installed-test
	$(BIN)/rulesdsl fmt --check $(GAMES)
	$(BIN)/rulesdsl check $(GAMES)
	$(BIN)/rulesdsl test $(GAMES)
	$(if $(LOCKED),$(BIN)/rulesdsl lock --check $(LOCKED))
	$(if $(LOGS),$(BIN)/rulesdsl replay --verify $(LOGS))

long: $(VENV)/installed-test
	$(BIN)/python benchmarks/long.py

bench: $(VENV)/installed-test
	$(BIN)/python benchmarks/playouts.py
	$(BIN)/python benchmarks/playouts.py --classic
	$(BIN)/python benchmarks/catan.py
	$(BIN)/python benchmarks/matches.py
	$(BIN)/python benchmarks/adapters.py
	$(BIN)/python benchmarks/log.py

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# The stamps remember what was installed, so that only the first run, and one after pyproject.toml changed, installs.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "rulesdsl needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable .
	@touch $@

$(VENV)/installed-test: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable '.[test,differential]'
	@touch $@ $(VENV)/installed
