import type { SearchRequest } from "./types.js";

const MAX_URL_CHARS = 2000; // every proxy accepts this length

/** Return the request: a GET, which is cacheable and needs no preflight; a POST if that would be too long. */
export function toFetch(endpoint: string, request: SearchRequest): { url: string; body: string | null } {
  const url = `${endpoint}${endpoint.includes("?") ? "&" : "?"}${toParams(request)}`;
  return url.length <= MAX_URL_CHARS ? { url, body: null } : { url: endpoint, body: JSON.stringify(request) };
}

/** The request as a query string: `tag`, `filter`, `facet` and `version` once for each value. */
function toParams({ tags = [], filters = {}, facets = [], version = [], ...plain }: SearchRequest): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(plain)) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  for (const tag of tags) params.append("tag", tag);
  for (const [name, value] of Object.entries(filters)) {
    for (const one of [value].flat()) params.append("filter", `${name}:${one}`);
  }
  for (const facet of facets) params.append("facet", facet);
  for (const one of [version].flat()) params.append("version", one);
  return params;
}
