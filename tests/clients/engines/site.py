"""A site with our components behind a real socket, and the real service behind its `/api`."""

from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.clients.stage import ARTICLE, DIST, POLICY, page_html

# What a policy or an error stopped, on any page of the tab.
WATCH = """
const keep = (problem) => (sessionStorage.problems = `${sessionStorage.problems ?? ''}${problem}; `);
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  if (!blockedURI.endsWith('/favicon.ico')) keep(violatedDirective); // which WebKit asks for by itself
});
addEventListener('error', ({ message }) => keep(message));
"""
SCRIPTS = "<script src=/watch.js></script><script type=module src=/dist/page-actions.js></script>"


class Pages:
    """Pages by path; all others are an article."""

    def __init__(self, service: ASGIApp, pages: dict[str, tuple[str, str]]) -> None:
        self.service = service
        self.pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith("/api/"):
            return await self.response(scope["path"])(scope, receive, send)
        return await self.service(scope, receive, send)

    def response(self, path: str) -> Response:
        if path.startswith("/dist/"):
            return FileResponse(DIST / path.removeprefix("/dist/"))
        if path == "/watch.js":
            return Response(WATCH, media_type="text/javascript")
        if path == "/broken":
            return JSONResponse({"error": {"code": "INDEX_CORRUPT", "message": "no"}}, 503)
        if path.endswith(".md"):
            return Response("# Page\n", media_type="text/markdown")
        body, attributes = self.pages.get(path, (ARTICLE, 'lang="en"'))
        return HTMLResponse(page_html(SCRIPTS + body, attributes), headers={"content-security-policy": POLICY})
