# Two commands do all of their own set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
# Trust what this machine trusts, as pip and git do.
export UV_SYSTEM_CERTS ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK ?= 1
# Tests start hundreds of processes: each would compile what it imports again where writing bytecode is switched off.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-rest test-all test-long check lock format clean docs-site milvus milvus-test release release-proof audit licences pages formats

demo: $(if $(wildcard $(VENV)/.ready),$(VENV)/.ready,$(VENV)/.installed)
	$(BIN)/python examples/demo.py

# The tests of a file stay in one worker: they share sites and servers that take seconds to make.
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder -m "not milvus_server and not long"
CORES := $$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)

# Within this process, and one case for each program of others. Each worker imports everything for itself.
test: $(VENV)/.ready
	$(PYTEST) -n $$(($(CORES) + 1)) --part quick

# Whatever starts programs, asks servers or browsers, or takes seconds: see tests/parts.py. Many of these tests wait.
test-rest: $(VENV)/.ready
	$(PYTEST) -n $$(($(CORES) + 3)) --part rest

test-all: test test-rest milvus-test

# Real Dagster under kills, releases of Dagster, generated clients, SvelteKit: minutes. Run it before a release.
test-long: $(VENV)/.ready
	$(BIN)/python -m pytest --dist loadfile -n 2 -m long

# The tests that ask a Milvus server. In one process: each further one would make its own collections and its own site,
# which takes longer than the tests.
milvus-test: $(VENV)/.ready .venv-milvus/.ready
	$(BIN)/python -m pytest -m milvus_server tests/extensions/milvus tests/extensions/fleet

# What CI adds to the tests: format, lint, types, spelling and wording, and that Dagster's own tool loads the definitions.
check: $(VENV)/.ready
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/codespell *.md docs examples/docs-site/src searchsocket/cli
	$(BIN)/python -m pytest tests/test_wording.py
	DAGSTER_DISABLE_TELEMETRY=yes $(BIN)/dg check defs

format: $(VENV)/.ready
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

# Build the documentation site and pack it for those who have no Node. Part of a release, not of a change to a page.
docs-site:
	cd examples/docs-site && npm ci && npm run build
	$(PYTHON) examples/site_archive.py pack

# Resolve anew; existing pins stay where they can. `make lock UPGRADE=--upgrade` moves them.
lock: $(VENV)/.ready
	$(UV) pip compile $(UPGRADE) -q --group bench --all-extras --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header -o requirements.lock pyproject.toml
	$(UV) pip compile $(UPGRADE) -q --group release --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header -o requirements-release.lock

# What the command needs; the lock says which release of each. From here on uv takes the place of pip, which is 23 MB.
$(VENV)/.installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --no-deps --require-hashes -r requirements-uv.lock
	$(UV) pip install -q --python $(BIN)/python -c requirements.lock -b requirements.lock -e .
	$(UV) pip uninstall -q --python $(BIN)/python pip setuptools
	touch $@

# With all extras and the tools of tests.
$(VENV)/.ready: $(VENV)/.installed
	$(UV) pip sync -q --compile-bytecode --python $(BIN)/python --require-hashes requirements.lock
	$(UV) pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
	touch $@

# Packages of the commit that is checked out, in `dist`. NPM_NAME names the browser's package, TAG is checked.
release: .venv-release/.ready
	.venv-release/bin/python -m release.build $(if $(NPM_NAME),--npm-name $(NPM_NAME)) $(if $(TAG),--tag $(TAG))

# Install them by name from an index on this machine, with each release of Python (or PYTHONS), and use them: minutes.
release-proof: .venv-release/.ready
	.venv-release/bin/python -m release.proof $(PYTHONS)

# What this release stores, for the tests of later releases: see "Stored formats" in CONTRIBUTING.md.
formats: $(VENV)/.ready
	$(BIN)/python -m release.formats

# The built documentation with search without a server, in `dist/pages`. BASE is its path on the host.
pages: $(VENV)/.installed
	$(BIN)/python -m release.pages $(if $(BASE),--base $(BASE))

# Ask for known vulnerabilities of what is locked; release/exceptions.toml lists those that do not matter here.
audit: .venv-release/.ready
	.venv-release/bin/python -m release.audit

# The licences of all packages and data, in docs/licences.md.
licences: $(VENV)/.ready
	$(BIN)/python -m release.licences

.venv-release/.ready: requirements-release.lock
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install -q --no-deps --require-hashes -r requirements-uv.lock
	.venv-release/bin/uv pip sync -q --python .venv-release/bin/python --require-hashes requirements-release.lock
	touch $@

# A Milvus server to try the store with, until it is interrupted; says its address when it is ready. The tests start
# one by themselves.
milvus: .venv-milvus/.ready
	.venv-milvus/bin/python tests/extensions/milvus/server.py

.venv-milvus/.ready:
	$(PYTHON) -m venv .venv-milvus
	.venv-milvus/bin/python -m pip install -q 'setuptools<81' milvus==2.3.5
	touch $@

# Servers that speak the protocols of S3 and of Google's buckets, for the tests of artefacts.
.venv-buckets/.ready:
	$(PYTHON) -m venv .venv-buckets
	.venv-buckets/bin/python -m pip install -q 'moto[s3]==5.2.1' flask flask-cors gcp-storage-emulator==2026.7.19
	touch $@

# The oldest release of Dagster that pyproject.toml allows, and the newest one of the registry.
.venv-dagster-oldest/.ready: pyproject.toml
	$(UV) venv -q --clear .venv-dagster-oldest
	$(UV) pip install -q --python .venv-dagster-oldest/bin/python -e . dagster==1.13.4 dagster-webserver==1.13.4
	touch $@

.venv-dagster-newest/.ready: pyproject.toml
	$(UV) venv -q --clear .venv-dagster-newest
	$(UV) pip install -q --upgrade-package dagster --python .venv-dagster-newest/bin/python -e .
	touch $@

clean:
	rm -rf $(VENV)
