"""The operations of `openapi.json` in the project as pages: what searchsocket's source `records` reads."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

FILE = "openapi.json"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


def records(root: Path, scope: str) -> Iterator[Mapping[str, object]]:
    """One record per operation.

    Args:
        root: The project's folder.
        scope: The branch that is indexed; the file is the same for all.

    Raises:
        OSError: There is no such file.
        ValueError: It is no JSON.
    """
    document = json.loads((root / FILE).read_text(encoding="utf-8"))
    for path, item in document.get("paths", {}).items():
        for method in METHODS:
            if operation := item.get(method):
                yield _record(document, method, path, item.get("parameters", []), operation)


def _record(
    document: Mapping[str, Any], method: str, path: str, shared: Sequence[Any], operation: Mapping[str, Any]
) -> Mapping[str, object]:
    name = operation.get("operationId") or f"{method}-{path.strip('/').replace('/', '-')}"
    parameters = [_resolved(document, each) for each in (*shared, *operation.get("parameters", []))]
    text = "\n\n".join(
        filter(
            None,
            (
                f"`{method.upper()} {path}`",
                operation.get("description") or operation.get("summary", ""),
                "## Parameters\n\n" + "\n".join(map(_parameter, parameters)) if parameters else "",
                "## Responses\n\n" + "\n".join(_responses(document, operation)),
            ),
        )
    )
    return {
        "url": f"/api/{name}",
        "title": operation.get("summary") or f"{method.upper()} {path}",
        "markdown": text,
        "tags": operation.get("tags", []),
        "facets": {"method": method.upper()},
    }


def _parameter(parameter: Mapping[str, Any]) -> str:
    required = ", required" if parameter.get("required") else ""
    return f"- `{parameter['name']}` (in {parameter['in']}{required}): {_line(parameter.get('description', ''))}"


def _responses(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator[str]:
    for status, response in operation.get("responses", {}).items():
        yield f"- `{status}`: {_line(_resolved(document, response).get('description', ''))}"


def _resolved(document: Mapping[str, Any], value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part of the document, or what its `$ref` names."""
    for step in value.get("$ref", "").removeprefix("#/").split("/") if "$ref" in value else ():
        document = document[step.replace("~1", "/").replace("~0", "~")]
        value = document
    return value


def _line(text: str) -> str:
    return " ".join(text.split())
