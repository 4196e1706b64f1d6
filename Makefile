# Two commands matter: `make test` proves everything, `make demo` shows the main job.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SHELL := /bin/bash

.PHONY: test check lint demo format lock servers clouds clean

test: lint  ## every check and every test, on real servers and on every Python at hand
	$(BIN)/python tests/servers.py -- $(BIN)/pytest -n 2 -m "not model" --ignore tests/e2e tests
	$(BIN)/pytest tests/e2e
	$(BIN)/pytest -m model tests
	$(BIN)/python tests/pythons.py

check: lint  ## the fast gate: no servers, nothing slow
	$(BIN)/pytest -n 2 -m "not slow" tests/unit tests/sql tests/schema tests/llm tests/charts tests/agents tests/cli tests/docs

lint: $(READY)  ## format, lint, types, imports
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

demo: $(READY)  ## a shop, six questions, the model in the box
	$(BIN)/text2sql demo

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# A universal lock with hashes and without addresses: any index that serves the same bytes will do.
lock: $(READY)
	$(BIN)/uv pip compile --universal --generate-hashes --no-header --no-annotate --upgrade \
		--python-version 3.11 --extra all --group dev pyproject.toml -o requirements.lock

servers: $(READY)  ## PostgreSQL, MariaDB and Redis for hands-on work, until Ctrl-C
	$(BIN)/python tests/servers.py

clouds: $(READY)  ## the contract suite on the emulators of Snowflake and BigQuery; the latter takes minutes
	TEXT2SQL_CLOUDS=1 $(BIN)/python tests/servers.py -- $(BIN)/pytest tests/contract -k "snowflake or bigquery"

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	touch $(READY)

clean:
	rm -rf .venv
