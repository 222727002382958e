import { SearchError } from "./errors.js";
import type { StaticRequest, StaticSite } from "./static-worker.js";
import type { Origin, SearchAnswer, SearchRequest } from "./types.js";

/** Answers requests; without a request it loads what every request needs. */
export type Answers = (request: SearchRequest | null) => Promise<SearchAnswer>;

type Reply = { id: number; answer: SearchAnswer } | { id: number; answer?: undefined; error: { code: string; message: string; status: number } };

interface EntrySite {
  head: string;
  /** Base path that the site was built for. */
  base?: string;
  /** Relative address of the site's root, if the export is part of the site. */
  root?: string;
}

/** `searchsocket.json`: of one site, or of several with a folder each. */
interface Entry extends EntrySite {
  worker: string;
  sites?: readonly (EntrySite & { folder: string; origin: Origin })[];
}

interface Opened {
  worker: Worker;
  sites: readonly StaticSite[];
  /** Bytes of their heads, loaded while the worker starts. */
  data: Promise<(ArrayBuffer | null)[]>;
}

// Where a policy demands it, only what a policy of its own made may be run.
const policies = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } } }).trustedTypes;
let policy: { createScriptURL(url: string): string } | undefined;

/**
 * Answers from the files that `searchsocket export` wrote to a folder of this origin; a worker reads them.
 *
 * @param isElsewhere The site is on another host, at the base path that it was built for. Default: an export that is
 * part of its site links to the pages around it, whatever path they are served at.
 */
export function staticAnswers(folder: string | URL, isElsewhere = false): Answers {
  const address = new URL(folder, globalThis.document?.baseURI).href.replace(/\/*$/, "/");
  const waiting = new Map<number, { resolve: (answer: SearchAnswer) => void; reject: (error: SearchError) => void }>();
  let opened: Promise<Opened> | null = null;
  let last = 0;

  async function open(): Promise<Opened> {
    // Only this file has the same name in each generation; a page that is open keeps the one that it began with.
    const response = await fetch(`${address}searchsocket.json`, { cache: "no-cache" });
    if (!response.ok) throw new SearchError("UNREACHABLE", `${address}searchsocket.json answered with status ${response.status}`, response.status);
    const entry = (await response.json()) as Entry;
    const prefixOf = ({ base = "", root }: EntrySite, below = "") => (root && !isElsewhere ? new URL(root, `${address}${below}`).pathname.replace(/\/$/, "") : base);
    const sites: StaticSite[] = entry.sites?.map((site) => ({ head: `${site.folder}/${site.head}`, origin: site.origin, prefix: prefixOf(site, `${site.folder}/`) })) ?? [
      { head: entry.head, prefix: prefixOf(entry) },
    ];
    policy ??= policies?.createPolicy("searchsocket", { createScriptURL: (url: string) => url });
    const bytesOf = ({ head }: StaticSite) => fetch(new URL(head, address)).then((one) => (one.ok ? one.arrayBuffer() : null), () => null); // null: the worker tries
    const data = Promise.all(sites.map(bytesOf));
    const url = new URL(entry.worker, address).href;
    const worker = new Worker((policy?.createScriptURL(url) ?? url) as string, { type: "module", name: "searchsocket" });
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
      const { resolve, reject } = waiting.get(data.id) ?? {};
      waiting.delete(data.id);
      if (data.answer !== undefined) resolve?.(data.answer);
      else reject?.(new SearchError(data.error.code, data.error.message, data.error.status));
    });
    worker.addEventListener("error", () => {
      opened = null;
      for (const { reject } of waiting.values()) reject(new SearchError("UNREACHABLE", `${url} cannot be run`));
      waiting.clear();
    });
    return { worker, sites, data };
  }

  return async (request) => {
    opened ??= open();
    const { worker, sites, data } = await opened.catch((error: unknown) => {
      opened = null;
      throw error instanceof SearchError ? error : new SearchError("UNREACHABLE", `${address} cannot be reached`);
    });
    const bytes = await data;
    return new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      worker.postMessage({ id: last, folder: address, sites, data: last === 1 ? bytes : [], request } satisfies StaticRequest);
    });
  };
}
