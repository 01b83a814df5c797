# Few verbs; `make` lists them. Each makes the virtual environment that it needs, and renews it when
# pyproject.toml or the pinned versions change. Another interpreter, with an environment of its own:
# make test PYTHON=python3.12

ifeq ($(origin PYTHON), command line)
VENV  := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
else
VENV  := .venv
endif
BENCH := .bench-venv
BIN   := $(VENV)/bin
DEMO  := $(BIN)/bakeoff demo --output demo
PIP   := -m pip install -qq --disable-pip-version-check

# The first interpreter that is new enough, looked for only when an environment is made.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c '$(NEW_ENOUGH)' 2>/dev/null && echo $$p && break; done || echo python3)

# Tests start hundreds of interpreters: each would compile every module again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo page test quick test-all check docs oracles calibrate honesty torture bench clean
# All tests of a file in one process: what they share (a cluster, a served page, a simulation) is made once.
TWO := -n 2 --dist loadfile
# What needs neither runs of studies nor simulations: enough to know that another interpreter will do. What is drawn
# where, and how often a procedure errs, is the same on all of them.
QUICK := $(addprefix tests/,inference judging procedures mathematics scores measures resampling generators designs \
	tasks figures results power_analysis test_kept.py test_records.py test_errors.py test_keys.py test_text.py)
QUICK += $(addprefix --ignore=tests/,figures/test_figures.py figures/test_kinds.py judging/test_own_variances.py \
	judging/test_relevance.py judging/test_gates.py mathematics/test_ranges.py)

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.runs ## a real study, from shipped data to a verdict and a figure, in less than a minute
	@$(DEMO)
	@echo "Page:    make page (installs what it needs, and opens the study in the browser)"

page: $(VENV)/.page ## the demo's study as a page in the browser: its verdict asked otherwise, and files of yours
	@test -e demo/study.sqlite || $(DEMO)
	@$(BIN)/bakeoff serve demo --study demo/study.toml --open

test: $(VENV)/.installed ## everything that must hold: check, then all tests
	@scripts/system-packages $(BIN)/python
	@$(MAKE) --no-print-directory check
	@$(BIN)/python -m pytest $(TWO)

quick: $(VENV)/.installed ## the unit tests and the demo, in a minute or two
	@$(BIN)/python -m pytest $(TWO) $(QUICK)
	@$(BIN)/bakeoff demo --output demo

test-all: ## the whole test on every Python from 3.11 on that this machine has
	@for python in $$(scripts/interpreters); do \
		echo "== $$($$python --version)"; \
		$(MAKE) --no-print-directory test PYTHON=$$python || exit 1; \
	done

check: $(VENV)/.installed ## format, lint, types, and that the generated docs are up to date
	@$(BIN)/ruff format --check --quiet . || { echo "Some files are not formatted: run $(BIN)/ruff format ."; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/python tools/procedure_docs.py --check
	@$(BIN)/python tools/dataset_docs.py --check
	@$(BIN)/python tools/published_docs.py --check
	@$(BIN)/python tools/format_docs.py --check
	@$(BIN)/python tools/schema_docs.py --check
	@echo "check: format, lint, types and docs are in order"

docs: $(VENV)/.installed ## the documentation as a site in site/, its generated pages written anew
	@$(BIN)/python tools/procedure_docs.py
	@$(BIN)/python tools/dataset_docs.py
	@$(BIN)/python tools/published_docs.py
	@$(BIN)/python tools/format_docs.py
	@$(BIN)/python tools/schema_docs.py
	@$(BIN)/python tools/make_site.py site

oracles: $(VENV)/.installed ## compare with the reference values, and count the cases covered
	@$(BIN)/python tests/oracles/run.py

calibrate: $(VENV)/.installed ## simulate every procedure under its null hypothesis; writes docs/calibration.md
	@$(BIN)/python tools/calibrate.py --replications 4000 --write

honesty: $(VENV)/.installed ## from written files to verdicts, with learners that are alike; writes docs/honesty.md
	@$(BIN)/python tools/honesty.py --replications 1000 --jobs 2 --write

torture: $(VENV)/.installed ## kill runs while they write, a thousand times here and 200 times on a cluster
	@$(BIN)/python tools/torture.py

bench: $(BENCH)/.installed ## speed against peers, as ratios measured in one run
	@PYTHONPATH=src $(BENCH)/bin/python benchmarks/run.py

clean: ## remove everything that these verbs made
	@rm -rf .venv .venv-* $(BENCH) demo site build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

define make_environment
	@$(PYTHON) -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo "bakeoff needs Python 3.11 or later; $(PYTHON) is: $$($(PYTHON) --version 2>&1)." \
			"Name another one: make PYTHON=python3.12"; exit 1; }
	@scripts/system-packages $(PYTHON) python3-venv
	@test -x $(1)/bin/python || { echo "Making $(1) with $$($(PYTHON) --version)"; \
		$(PYTHON) -m venv --clear --without-pip $(1); }
endef

define own_pip
	@$(1)/bin/python -m pip --version >/dev/null 2>&1 || $(1)/bin/python -m ensurepip >/dev/null
endef

# What is asked for, and no more: no tools; no pip of its own where the interpreter's can install from outside; and
# modules are compiled when they are first imported, which most never are.
define install_lightly
	@if $(PYTHON) -m pip --python $(BIN)/python --version >/dev/null 2>&1; \
		then pip="$(PYTHON) -m pip --python $(BIN)/python"; \
		else $(BIN)/python -m ensurepip >/dev/null; pip="$(BIN)/python -m pip"; fi; \
	install="$$pip install -qq --disable-pip-version-check --no-compile -c constraints.txt"; \
	$$install setuptools && $$install --no-build-isolation -e '$(1)'
endef

$(VENV)/.runs: pyproject.toml constraints.txt
	$(call make_environment,$(VENV))
	@echo "Installing bakeoff into $(VENV)"
	$(call install_lightly,.)
	@touch $@

$(VENV)/.page: $(VENV)/.runs
	@echo "Installing what the page needs into $(VENV)"
	$(call install_lightly,.[web])
	@touch $@

$(VENV)/.installed: pyproject.toml constraints.txt
	$(call make_environment,$(VENV))
	$(call own_pip,$(VENV))
	@echo "Installing bakeoff and its tools into $(VENV)"
	@$(BIN)/python $(PIP) -c constraints.txt setuptools
	@$(BIN)/python $(PIP) -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $(VENV)/.runs $(VENV)/.page $@

$(BENCH)/.installed: benchmarks/requirements.txt
	$(call make_environment,$(BENCH))
	$(call own_pip,$(BENCH))
	@echo "Installing the peers into $(BENCH)"
	@$(BENCH)/bin/python $(PIP) -r benchmarks/requirements.txt
	@touch $@
