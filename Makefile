# Tilesight: `make demo` shows it, `make test` proves it. Both set themselves up.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ARGS ?=
# Bytecode is kept, whatever the surroundings say: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: audit demo test test-all club-test setup dev lint check-types check-style check-imports check-tests check-all-tests docs readmes rules-table licences figures readings art dist clean
.DEFAULT_GOAL := help

help:
	@echo "make demo                      replay the sample session on the dashboard"
	@echo "make demo ARGS=--exit-at-end   the same, ending by itself"
	@echo "make demo ARGS='--game tricky-safari'   another game's sample"
	@echo "make test                      linters, types, import walls, tests"
	@echo "make test-all                  the same and the long tests (the built wheel, ...)"
	@echo "make club-test                 a club of 300 tables for ten minutes, with kills (ARGS='--tables 20 --minutes 2')"
	@echo "make docs                      build the pages of docs/ into site/, strictly"
	@echo "make dist                      build dist/ for PyPI: sdist and wheel, checked; sbom/"
	@echo "make setup                     only .venv/bin/tilesight"
	@echo "make readmes                   write the tables of modules in the packages' READMEs"
	@echo "make rules-table               write the tests of each rulebook section in docs/rules-by-section.md"
	@echo "make licences                  write the licences of all dependencies in docs/dependencies.md"
	@echo "make audit                     look up known vulnerabilities of what .ci/dev.lock pins"
	@echo "make figures                   measure what the README states, at this commit (ten minutes)"
	@echo "make readings                  read the sets of ../shared, hold their floors (twenty minutes)"
	@echo "make readings ARGS=--quick     only the quick sets; ARGS='--only boards,c2' these; ARGS=--raise raises floors"
	@echo "make art                       draw the house deck anew"

demo: setup
	@$(BIN)/tilesight demo $(ARGS)

# One test process more than cores, since many tests wait; four at the most: each takes up to a gigabyte. Long
# tests wait a third of their time, for other processes and for browsers: with them, four always.
PROCESSES = $(shell $(BIN)/python -c "import os; print(min(4, 1 + (os.cpu_count() or 1)))")
PYTEST = $(BIN)/python -m pytest --dist worksteal --numprocesses

# The linters run beside the tests, which often wait for a browser or a server.
test: dev
	@$(MAKE) --no-print-directory --jobs 2 lint check-tests

check-tests: dev
	@$(PYTEST) $(PROCESSES) -m "not long" $(ARGS)

# One run: while long tests wait, short ones have the cores.
test-all: dev
	@$(MAKE) --no-print-directory --jobs 2 lint check-all-tests

check-all-tests: dev
	@$(PYTEST) 4 $(ARGS)

# Real servers: PostgreSQL and nginx with Nchan (Debian: postgresql, libnginx-mod-nchan).
club-test: dev
	@$(BIN)/python -m tests.club $(ARGS)

lint: dev
	@$(MAKE) --no-print-directory --jobs 2 check-types check-style check-imports

check-types: dev
	@$(BIN)/mypy

check-style: dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/vulture

check-imports: dev
	@$(BIN)/lint-imports --no-cache

docs: dev
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "site/index.html"

readmes: dev
	@$(BIN)/python -m docs.package_readmes

rules-table: dev
	@$(BIN)/python docs/rules_table.py

licences: dev
	@$(BIN)/python -m docs.licence_table

# Asks the package index for advisories; not a test: a new advisory must not make a checked commit fail.
audit: dev
	@$(BIN)/python -m pip_audit --requirement .ci/dev.lock --no-deps --progress-spinner off

# Goes on where it was stopped, as long as the code is the same.
figures: dev
	@$(BIN)/python -m docs.make_figures $(ARGS)

# Exits 1 where a figure fell below its floor in docs/readings/floors.json.
readings: dev
	@$(BIN)/python -m docs.make_readings $(ARGS)

art: dev
	@$(BIN)/python -m samples.artwork

dist:
	@bash .ci/dist "$(PYTHON)"

PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
setup: $(VENV)/.ready
dev: $(VENV)/.ready-dev

# What the system must have first (a fresh Debian may lack venv), then the package. An environment of before
# 2026-11-25 has opencv-python, whose files are those of opencv-python-headless: it goes first.
# requirements.lock and .ci/dev.lock hold the versions that were tested, with the hashes of their files
# (written by .ci/lock): pip refuses a file of another hash. The package itself is built with the locked setuptools.
$(VENV)/.ready: pyproject.toml requirements.lock
	@bash .ci/system-libraries "$(PYTHON)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Tilesight into $(VENV) (a minute or two the first time) ..."
	@$(BIN)/python -m pip show --quiet opencv-python 2>/dev/null && \
	  $(BIN)/python -m pip uninstall --quiet --yes opencv-python opencv-python-headless || true
	@$(PIP) --require-hashes --requirement requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready .ci/dev.lock
	@echo "Installing what the tests need ..."
	@$(PIP) --require-hashes --requirement .ci/dev.lock
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache *.egg-info site build dist sbom
