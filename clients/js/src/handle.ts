import { forward, type Upstream } from "./handle/forward.js";
import { asksForMarkdown, isAgentFile, linkMarkdown, markdownPath } from "./handle/markdown.js";

/** The used part of SvelteKit's `RequestEvent`, in versions 2 and 3. */
export interface KitEvent {
  readonly request: Request;
  readonly url: URL;
  readonly route: { readonly id: string | null };
  readonly platform?: unknown;
  getClientAddress(): string;
}

interface ResolveOptions {
  transformPageChunk?(input: { html: string; done: boolean }): string | undefined;
}

/** Arguments of a SvelteKit `handle`. */
export interface KitInput {
  readonly event: KitEvent;
  // `resolve` needs SvelteKit's own event type, which has more fields than ours.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  resolve(event: any, options?: ResolveOptions): Response | Promise<Response>;
}

export interface HandleOptions {
  /** Address of `searchsocket serve`; default: `$SEARCHSOCKET_URL`, else `http://127.0.0.1:8181`. */
  url?: string;
  /** The path that is answered here, and `api.path` of the service; default `/api/search`. */
  path?: string;
  /** More paths of the service to forward, for instance `/api/related`; a `*` at the end stands for all below. */
  paths?: readonly string[];
  /** Forward the MCP server too: `true` for `/mcp`, or its path (`mcp.http.path`). */
  mcp?: boolean | string;
  /** Forward `/llms.txt`, `/llms-full.txt` and `/page.md`, answer `Accept: text/markdown`, and link to them in every page. */
  markdown?: boolean;
  /** `paths.base` of the site, for instance `/docs`. */
  base?: string;
  /** The service's key, for a service that is not next to this server; default `$SEARCHSOCKET_API_KEY`. Visitors stay anonymous. */
  key?: string;
  /** Timeout of an answer in milliseconds; default 10,000. */
  timeoutMs?: number;
  /** The largest body that is read; default 65,536. */
  maxBodyBytes?: number;
  /** Called with the reason if the service does not answer; default: `console.error`. */
  onError?(message: string): void;
}

const LOCAL = "http://127.0.0.1:8181";

/**
 * Answer search at the site's own address by forwarding to the service, in `src/hooks.server.ts`:
 *
 *     export const handle = searchsocketHandle();
 *
 * Uses only `fetch` and streams, so it also runs without Node.
 *
 * @throws TypeError An option is invalid; thrown when the server starts, not at the first search.
 */
export function searchsocketHandle(options: HandleOptions = {}): (input: KitInput) => Promise<Response> {
  const base = checkedPath("base", options.base ?? "");
  const own = [options.path ?? "/api/search", ...(options.paths ?? [])].map((path) => checkedPath("path", path));
  const mcp = options.mcp ? checkedPath("mcp", options.mcp === true ? "/mcp" : options.mcp) : "";
  const timeoutMs = checkedNumber("timeoutMs", options.timeoutMs ?? 10_000);
  const maxBodyBytes = checkedNumber("maxBodyBytes", options.maxBodyBytes ?? 65_536);
  const onError = options.onError ?? ((message: string) => console.error(`searchsocket: ${message}`));
  if (options.url) serviceUrl(options.url);

  const upstream = (event: KitEvent, path: string, isStream: boolean): Upstream => ({
    url: serviceUrl(options.url || variable(event, "SEARCHSOCKET_URL") || LOCAL),
    path,
    key: options.key ?? variable(event, "SEARCHSOCKET_API_KEY"),
    timeoutMs,
    maxBodyBytes,
    isStream,
    onError,
  });

  return async ({ event, resolve }) => {
    const { pathname } = event.url;
    const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname === base ? "/" : "";
    const asked = path.length > 1 ? path.replace(/\/$/, "") : path;
    if (own.some((pattern) => matches(asked, pattern))) return forward(event, upstream(event, asked, false));
    if (mcp && asked === mcp) return forward(event, upstream(event, asked, true));
    if (!options.markdown || !path) return resolve(event);

    const isRead = event.request.method === "GET" || event.request.method === "HEAD";
    if (isRead && isAgentFile(asked) && event.route.id === null) return forward(event, upstream(event, asked, false));
    if (isRead && event.route.id !== null && asksForMarkdown(event.request)) {
      const answer = await forward(event, upstream(event, markdownPath(asked), false));
      // A page without an index entry is still served.
      if (answer.ok || answer.status === 304) return answer;
    }
    const links = linkMarkdown(base, asked);
    return resolve(event, event.route.id === null ? {} : { transformPageChunk: ({ html }) => links(html) });
  };
}

function matches(path: string, pattern: string): boolean {
  return pattern.endsWith("/*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

function variable(event: KitEvent, name: string): string {
  const platform = (event.platform as { env?: Record<string, unknown> } | undefined)?.env?.[name];
  const node = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];
  return typeof platform === "string" ? platform : (node ?? "");
}

function serviceUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new TypeError(`searchsocketHandle: url must be an address such as ${LOCAL}`);
  }
  return url;
}

function checkedPath(name: string, path: string): string {
  const bare = path.replace(/\/$/, "");
  if (bare && !/^(\/[A-Za-z0-9._~%-]+)+(\/\*)?$/.test(bare)) {
    throw new TypeError(`searchsocketHandle: ${name} must be a path such as /api/search, not ${JSON.stringify(path)}`);
  }
  return bare;
}

function checkedNumber(name: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0) throw new TypeError(`searchsocketHandle: ${name} must be above 0`);
  return value;
}
