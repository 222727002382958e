/** The used part of SvelteKit's `RequestEvent`, in versions 2 and 3. */
export interface KitEvent {
    readonly request: Request;
    readonly url: URL;
    readonly route: {
        readonly id: string | null;
    };
    readonly platform?: unknown;
    getClientAddress(): string;
}
interface ResolveOptions {
    transformPageChunk?(input: {
        html: string;
        done: boolean;
    }): string | undefined;
}
/** Arguments of a SvelteKit `handle`. */
export interface KitInput {
    readonly event: KitEvent;
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
/**
 * Answer search at the site's own address by forwarding to the service, in `src/hooks.server.ts`:
 *
 *     export const handle = searchsocketHandle();
 *
 * Uses only `fetch` and streams, so it also runs without Node.
 *
 * @throws TypeError An option is invalid; thrown when the server starts, not at the first search.
 */
export declare function searchsocketHandle(options?: HandleOptions): (input: KitInput) => Promise<Response>;
export {};
