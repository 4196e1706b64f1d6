# Two commands matter: `make test` proves everything, `make demo` shows the main job.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SHELL := /bin/bash

.PHONY: test check lint demo everyday dist docs format lock servers clouds fuzz clean

test: lint  ## all checks and all tests, on real servers and on every installed Python
	$(BIN)/python tests/servers.py -- $(BIN)/pytest -n 2 -m "not model and not snowflake" --ignore tests/e2e --ignore tests/release tests
	TEXT2SQL_CLOUDS=snowflake $(BIN)/python tests/servers.py -- $(BIN)/pytest -m snowflake tests/contract tests/cli/test_servers.py
	$(BIN)/pytest tests/e2e
	$(BIN)/pytest -m model tests
	$(BIN)/python tests/pythons.py
	$(MAKE) dist

check: lint  ## the fast gate: no servers, nothing slow
	$(BIN)/pytest -n 2 -m "not slow" tests/unit tests/sql tests/schema tests/llm tests/charts tests/agents tests/client tests/cli tests/docs

lint: $(READY)  ## format, lint, types, imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

demo: $(READY)  ## a shop database, six questions, the embedded model
	$(BIN)/text2sql demo

everyday: $(READY)  ## the everyday questions on the embedded model; EVERYDAY_OPTIONS="--limit 50"
	PYTHONPATH=benchmarks $(BIN)/python -m everyday .venv/everyday
	$(BIN)/text2sql eval benchmarks/everyday/questions --databases .venv/everyday \
		--out .venv/everyday/run.jsonl --report .venv/everyday/report.html $(EVERYDAY_OPTIONS)

dist: $(READY)  ## build wheel and sdist in dist/, and try the wheel in an empty environment
	rm -rf dist
	$(BIN)/uv build --quiet
	$(BIN)/pytest -n 2 --dist loadfile tests/release

docs: $(READY)  ## the documentation site in site/; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# A universal lock with hashes and without index addresses: every index with the same files will do.
lock: $(READY)
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate --upgrade \
		--python-version 3.11 --extra all --group dev pyproject.toml -o requirements.lock

servers: $(READY)  ## PostgreSQL, MariaDB and Redis to try things out, until Ctrl-C
	$(BIN)/python tests/servers.py

clouds: $(READY)  ## the contract suite on the emulators of Snowflake and BigQuery; the latter takes minutes
	TEXT2SQL_CLOUDS=snowflake,bigquery $(BIN)/python tests/servers.py -- $(BIN)/pytest tests/contract -k "snowflake or bigquery"

fuzz: $(READY)  ## random queries on twin databases, until Ctrl-C: FUZZ_SECONDS, FUZZ_ENGINE, FUZZ_SEED, FUZZ_CASES
	FUZZ_SECONDS="$(FUZZ_SECONDS)" FUZZ_ENGINE="$(FUZZ_ENGINE)" FUZZ_SEED="$(FUZZ_SEED)" FUZZ_CASES="$(FUZZ_CASES)" \
		PYTHONPATH=tests $(BIN)/python -m noninterference.fuzz

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	touch $(READY)

clean:
	rm -rf .venv dist site
