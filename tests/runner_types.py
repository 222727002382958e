"""Types of the fixtures that run a command or the graph."""

from collections.abc import Callable
from typing import Any

import dagster as dg
from click.testing import Result

RunCli = Callable[..., Result]
RunJson = Callable[..., Any]
RunGraph = Callable[..., dg.ExecuteInProcessResult]
