"""`GET /docs`: the OpenAPI document as a page, without a script."""

import json
import re
import shlex
from urllib.parse import quote, urlencode

from fastapi import Request
from markupsafe import Markup, escape
from starlette.responses import Response

from search_api.openapi import SearchApp
from search_api.page.home import asset_links, read_template
from searchsocket.project.settings.model import ApiSettings
from searchsocket.system.json_text import JsonObject

PATH = "/docs"
CSP = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)

_CODE = re.compile("`([^`]+)`")
_EXAMPLE = "install"


def add_docs(app: SearchApp, folder: str, project: str, settings: ApiSettings) -> None:
    """Serve the page; `folder` contains its assets."""
    links = asset_links(folder.lstrip("/"))

    @app.get(PATH, include_in_schema=False)
    async def get_docs(request: Request) -> Response:
        template = read_template("docs.html", code=_code, limits=limits, fields=_fields, curl=curl)
        html = template.render(
            document=app.openapi(),
            base=str(request.base_url).rstrip("/"),
            openapi=(app.openapi_url or "").lstrip("/"),
            project=project,
            files=links,
            limit=settings.rate_limit,
        )
        return Response(html.encode("utf-8", "replace"), 200, {"content-security-policy": CSP}, "text/html")


def curl(base: str, path: str, method: str, operation: JsonObject, schemas: JsonObject) -> str:
    """Return a curl command for an endpoint, with an example of every required value."""
    words = ["curl"]
    if method == "post":
        body = next(iter(operation["requestBody"]["content"].values()))["schema"]
        example = _example(schemas[body["$ref"].rpartition("/")[2]])
        words += ["-H", "content-type: application/json", "-d", json.dumps(example)]
    query = {}
    for parameter in operation.get("parameters", ()):
        if parameter["required"]:
            example = parameter["schema"].get("examples", [_EXAMPLE])[0]
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", quote(example))
            else:
                query[parameter["name"]] = example
    words.append(f"{base}{path}{'?' if query else ''}{urlencode(query, safe='/')}")
    return shlex.join(words)


def _example(schema: JsonObject) -> JsonObject:
    """Return a body that a model accepts: its own example, or the first example of each required field."""
    if schema.get("examples"):
        example: JsonObject = schema["examples"][0]
        return example
    properties = schema.get("properties", {})
    return {name: properties[name].get("examples", [_EXAMPLE])[0] for name in schema.get("required", ())}


def limits(schema: JsonObject) -> str:
    """The limits of a value, in words."""
    low, high, longest = (schema.get(name) for name in ("minimum", "maximum", "maxLength"))
    parts = [f"{low:g} to {high:g}"] if low is not None and high is not None else []
    parts += [f"at most {longest:,} characters"] if longest else []
    parts += [f"at most {schema['maxItems']}"] if schema.get("maxItems") else []
    parts += [f"default {json.dumps(schema['default'])}"] if schema.get("default") not in (None, "", []) else []
    return "; ".join(parts)


def _fields(schema: JsonObject) -> list[tuple[str, JsonObject, bool]]:
    """Return the name and schema of each field, and True if the field is required."""
    required = schema.get("required", ())
    return [(name, field, name in required) for name, field in schema.get("properties", {}).items()]


def _code(text: str) -> Markup:
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704  (escaped before)
