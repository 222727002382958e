"""The small sites of the tests of commands and of the API."""

from tests.api.conftest import api, configured, local, project
from tests.cli.conftest import indexed, indexed_site, run, run_json, site

__all__ = ["api", "configured", "indexed", "indexed_site", "local", "project", "run", "run_json", "site"]
