"""Which file of a SvelteKit project makes which URL."""

from searchsocket.routes.scan import scan_routes
from searchsocket.routes.table import NO_ROUTE, RouteMatch, RouteTable, route_table, route_url

__all__ = ["NO_ROUTE", "RouteMatch", "RouteTable", "route_table", "route_url", "scan_routes"]
