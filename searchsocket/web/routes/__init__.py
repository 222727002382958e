"""Map URLs to the files of a SvelteKit project."""

from searchsocket.web.routes.kit import KitProject, read_kit
from searchsocket.web.routes.scan import scan_project, scan_routes
from searchsocket.web.routes.table import NO_ROUTE, RouteMatch, RouteTable, route_table, route_url

__all__ = [
    "NO_ROUTE",
    "KitProject",
    "RouteMatch",
    "RouteTable",
    "read_kit",
    "route_table",
    "route_url",
    "scan_project",
    "scan_routes",
]
