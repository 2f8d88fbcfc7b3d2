# dicehall. The first run of any target sets up what it needs in .venv; later runs are fast.
PYTHON ?= python3
BIN := .venv/bin
# Two more than there are processors: many tests wait for processes and browsers.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 2) + 2)
SEED ?= 1
MINUTES ?= 10

.PHONY: play test setup lint bench soak mutants pins clean

play: .venv/.ready ## Play in a browser, without Telegram
	@$(BIN)/dicehall play $(ARGS)

test: .venv/.checks ## Run every test
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS)

setup: .venv/.ready ## Set up .venv/bin/dicehall and nothing else

lint: .venv/.checks ## Style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: .venv/.checks ## Measure presses and bookings against what they are built on
	@$(BIN)/python -m tests.bench $(ARGS)

soak: .venv/.checks ## Look for faults for MINUTES (10), from SEED (1) on; kill real processes beside
	@trap : INT TERM; \
	  $(BIN)/python -m tests.faults.kills --seed $(SEED) --minutes $(MINUTES) & kills=$$!; \
	  $(BIN)/dicehall soak --seed $(SEED) --minutes $(MINUTES) $(ARGS); ok=$$?; \
	  { wait $$kills || wait $$kills; } && exit $$ok

mutants: .venv/.checks ## Plant bugs, one at a time in a copy, and see each caught
	@$(BIN)/python -m tests.faults.mutants $(ARGS)

pins: .venv/.checks ## Pin the newest versions pyproject.toml allows
	@cd deploy && CUSTOM_COMPILE_COMMAND="make pins" ../$(BIN)/pip-compile -q --upgrade \
	  --generate-hashes --strip-extras --no-emit-index-url --no-emit-find-links \
	  --no-emit-trusted-host --no-header -o requirements.txt ../pyproject.toml
	@cd deploy && CUSTOM_COMPILE_COMMAND="make pins" ../$(BIN)/pip-compile -q --upgrade \
	  --generate-hashes --allow-unsafe --strip-extras --no-emit-index-url \
	  --no-emit-find-links --no-emit-trusted-host --no-header \
	  -o requirements-dev.txt requirements-dev.in

clean:
	rm -rf .venv build *.egg-info

# pip is what a set-up that broke off lacks; it is begun anew.
.venv/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "dicehall needs Python 3.11 or newer; say PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "dicehall needs Python's venv; on Debian: apt-get install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv

.venv/.ready: deploy/requirements.txt pyproject.toml | .venv/bin/pip
	@echo "Setting up .venv (once) …"
	@$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r deploy/requirements.txt
	@$(BIN)/pip install -qq --disable-pip-version-check --no-deps -e .
	@touch $@

.venv/.checks: deploy/requirements-dev.txt .venv/.ready
	@echo "Adding what the checks need (once) …"
	@$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r deploy/requirements-dev.txt
	@touch $@
