import { createSearchClient, type SearchClient } from "../client.js";
import { SearchError } from "../errors.js";
import { Words } from "../labels/words.js";
import { matchOf, rememberMatch } from "../match/pending.js";
import { followMatch } from "../match/show.js";
import { buildResultUrl } from "../result-url.js";
import { type Answers, staticAnswers } from "../static-client.js";
import { didYouMean } from "../suggest/meant.js";
import { completions } from "../suggest/completions.js";
import type { SearchAnswer, Section } from "../types.js";
import { Filters } from "./filters.js";
import { Frame } from "./frame.js";
import { Listbox } from "./listbox.js";
import { pages, recent } from "./recent.js";
import { type Opening, resultGroups, siteOf } from "./results.js";
import type { Settings } from "./settings.js";
import { Start } from "./start.js";

/** Callbacks of the element around the panel. */
export interface Host {
  settings: () => Settings;
  /** Dispatch an event; false if a listener prevented the default. */
  emit: (name: string, detail: unknown) => boolean;
  /** A result was opened, or Escape pressed. */
  close: () => void;
  isOpen: () => boolean;
  /** The panel has content to show. */
  open: () => void;
  /** The content changed, and maybe the height. */
  fit: () => void;
}

const STATIC_TIMEOUT_MS = 30_000; // slow lines load several files

/** Log the failing address and the likely cause for the site's owner. */
async function explain({ code, message }: SearchError, place: string, isStatic: boolean): Promise<void> {
  const { href, origin } = new URL(place, document.baseURI);
  const isMissing = code === "UNREACHABLE";
  // A `no-cors` request fails only if the host does not answer.
  const answers = isMissing && !isStatic && origin !== location.origin && (await fetch(href, { mode: "no-cors" }).catch(() => null));
  const cause = answers ? ` Is ${location.origin} in api.cors.allow_origins?` : isMissing || code === "INVALID_ANSWER" ? ` Does searchsocket ${isStatic ? "export write" : "serve run"} there?` : "";
  console.error(`${href}: ${message}.${cause}`);
}

/** The search: the field, the results, and the messages without results. */
export class Panel {
  readonly frame: Frame;
  words = new Words("en");
  /** Options above the results of an answer. */
  above: (answer: SearchAnswer) => HTMLElement[] = () => [];
  readonly filters: Filters;
  readonly #list: Listbox;
  readonly #start: Start;
  readonly #openings = new WeakMap<Element, Opening>();
  #client: SearchClient | null = null;
  #place = ""; // address of the service or export
  #answers: Answers | undefined;
  #answer: SearchAnswer | null = null;
  #found: SearchAnswer | null = null; // last answer with results, whose words correct a query without any
  #asked = ""; // the query whose answer is pending or shown
  #isPending = false;
  #opensFirst = false; // Enter was pressed before the answer came
  #retry = 0;
  #wasLeft = false; // closed before the answer, or before a retry
  #isComposing = false;
  #reported: SearchAnswer | null = null; // the answer that was reported by a beacon

  constructor(readonly host: Host) {
    this.filters = new Filters(host.settings, () => this.words, () => void this.#ask());
    this.frame = new Frame(this.filters.element);
    this.#list = new Listbox(this.frame.input, this.frame.list);
    this.#start = new Start({
      settings: host.settings,
      words: () => this.words,
      search: (q) => this.search(q),
      close: () => host.close(),
      changed: (key) => this.#showStart(key),
    });
    const { input, list, clear, suggestions, popup } = this.frame;
    input.addEventListener("input", () => this.#isComposing || this.#typed());
    input.addEventListener("compositionstart", () => (this.#isComposing = true));
    input.addEventListener("compositionend", () => ((this.#isComposing = false), this.#typed()));
    input.addEventListener("keydown", (event) => this.#key(event));
    clear.addEventListener("click", () => (this.search(""), input.focus()));
    list.addEventListener("click", (event) => this.#clicked(event));
    suggestions.addEventListener("click", ({ target }) => {
      const q = (target as Element).closest("button")?.value;
      if (q) this.search(q), input.focus();
    });
    popup.addEventListener("click", ({ target }) => this.#acted((target as Element).closest("button")?.value ?? ""));
  }

  /** Speak another language. */
  speak(words: Words): void {
    this.words = words;
    this.frame.label(words, this.host.settings().placeholder);
    this.show();
  }

  /** Run a query as if it had been typed. */
  search(q: string): void {
    this.frame.input.value = q;
    this.#typed();
  }

  /** Prepare the panel before it is shown: the last query, or recent searches. */
  refresh(): void {
    this.#connect();
    this.#answers?.(null).catch(() => undefined); // load before the first key; errors are shown by the query
    if (this.#wasLeft) void this.#ask();
    else if (!this.frame.input.value.trim()) this.show();
  }

  /** Cancel pending work. */
  rest(): void {
    if (this.host.settings().folder) this.#report(""); // a service counts searches itself
    this.#wasLeft ||= this.#isPending || this.#retry !== 0;
    this.#pending(false);
    this.#endRetry();
    this.#client?.cancel();
    this.#opensFirst = false;
  }

  #typed(): void {
    this.#opensFirst = false;
    void this.#ask();
  }

  async #ask(isMore = false): Promise<void> {
    this.#wasLeft = false;
    this.#endRetry();
    const { scope, limit } = this.host.settings();
    const client = this.#connect();
    const q = this.frame.input.value.trim();
    const before = isMore ? this.#answer : null;
    this.#asked = q;
    this.frame.clear.hidden = !q;
    if (!q) {
      client.cancel();
      this.#pending(false);
      this.#answer = null;
      this.filters.clear();
      this.show();
      return;
    }
    this.host.open();
    this.#pending(true);
    const from = before ? { offset: before.results.length, generation: before.meta.generation } : {};
    try {
      const request = { q, topK: limit, sectionSnippets: true, ...(scope ? { scope } : {}), ...this.filters.request(), ...from };
      const answer = await client.searchTyped(request);
      if (!answer) return; // replaced by another query
      // A new generation may have another order: start again, to show each page once.
      if (before && answer.meta.generation !== before.meta.generation) return void (await this.#ask());
      this.#answer = before ? { ...answer, results: [...before.results, ...answer.results] } : answer;
      if (answer.results.length) this.#found = answer;
      this.#pending(false);
      this.show(before ? before.results.length : 0);
      this.host.emit("searchsocket-results", answer);
    } catch (error) {
      this.#pending(false);
      this.#fail(error);
    }
    if (this.#opensFirst) (this.#opensFirst = false), this.#list.pick();
  }

  /** The client for the address in the attributes. */
  #connect(): SearchClient {
    const { endpoint, folder, site } = this.host.settings();
    if (!this.#client || this.#place !== (folder || endpoint)) {
      this.#place = folder || endpoint;
      this.#answers = folder ? staticAnswers(folder, site !== "") : undefined;
      this.#client = createSearchClient(this.#answers ? { answers: this.#answers, timeoutMs: STATIC_TIMEOUT_MS } : { endpoint });
    }
    return this.#client;
  }

  #endRetry(): void {
    clearTimeout(this.#retry);
    this.#retry = 0;
  }

  #pending(isPending: boolean): void {
    this.#isPending = isPending;
    this.frame.busy(isPending, this.words.labels);
  }

  /**
   * Show the answer again.
   *
   * @param from Number of results that are already shown.
   */
  show(from = 0): void {
    const { frame } = this;
    const answer = this.#answer;
    if (!this.#asked || !answer) return this.#showStart();
    const { missing, site } = this.host.settings();
    this.filters.update(answer);
    const hasMore = answer.results.length < answer.total;
    const meant = didYouMean(answer.q, answer.results.length ? answer : (this.#found ?? answer));
    frame.answered(answer, this.words, {
      meant,
      completions: meant ? [] : completions(frame.input.value, answer),
      isFiltered: this.filters.isSet,
      missing: missing.replace("{query}", encodeURIComponent(answer.q)),
      hasMore,
    });
    const above = this.above(answer);
    const groups = [...above, ...resultGroups(answer, meant, this.words, site, this.#openings)];
    this.#list.show(groups, from ? this.#list.active : above.length, from > 0);
    this.host.fit();
  }

  /** @param key Key of the changed option, if any. */
  #showStart(key?: string): void {
    const groups = this.#asked ? [] : this.#start.groups();
    this.frame.start(this.words, groups.length > 0, groups.length > 0 && this.#start.isKept);
    this.#list.show(groups, key === undefined ? -1 : this.#list.active, key !== undefined);
    if (key) this.#list.activate(key);
    this.host.fit();
  }

  #fail(error: unknown): void {
    const problem = error instanceof SearchError ? error : new SearchError("UNREACHABLE", String(error));
    this.#answer = null;
    this.#list.show([], -1);
    this.frame.failed(problem, new URL(this.#place, document.baseURI).protocol === "file:", this.words);
    this.host.fit();
    void explain(problem, this.#place, !!this.#answers);
    this.host.emit("searchsocket-error", problem);
    // Retry temporary errors automatically.
    if (problem.retryAfterS !== null && problem.retryable) {
      this.#retry = setTimeout(() => void this.#ask(), Math.max(problem.retryAfterS, 1) * 1000) as unknown as number;
    }
  }

  #key(event: KeyboardEvent): void {
    // Keys of an input method select characters, not options.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.preventDefault();
      this.host.close();
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (this.#isPending) this.#opensFirst = true;
      else this.#list.pick(event);
    } else if (!this.frame.input.value && this.#start.key(event, this.#list.option)) {
      event.preventDefault();
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      const { input, completion } = this.frame;
      const isForward = (event.key === "ArrowRight") === (getComputedStyle(input).direction === "ltr");
      const isAtEnd = input.selectionStart === input.value.length && input.selectionEnd === input.value.length;
      if (!isForward || !isAtEnd || !completion || event.shiftKey) return;
      event.preventDefault();
      this.search(completion);
    } else if (this.#list.key(event)) {
      this.host.open();
      event.preventDefault();
    }
  }

  #acted(action: string): void {
    if (action === "retry") void this.#ask();
    if (action === "more") void this.#ask(true);
    if (action === "unfilter") this.filters.clear(), void this.#ask();
    if (action === "forget") this.#start.clear(), this.show();
    if (action) this.frame.input.focus();
  }

  /** Report the page that was opened for a query; "" = none. */
  #report(url: string, project?: string): void {
    const { beacon, scope } = this.host.settings();
    const answer = this.#answer;
    if (!beacon || !answer || (!url && this.#reported === answer)) return;
    if ((navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl) return;
    this.#reported = answer;
    // Plain text needs no preflight on another origin.
    navigator.sendBeacon(beacon, JSON.stringify({ q: answer.q, url, quality: answer.quality, project, scope: scope || undefined }));
  }

  #clicked(event: MouseEvent): void {
    const option = (event.target as Element).closest<HTMLElement>("[role=option]");
    if (!option) return;
    if (this.#start.clicked(event, option)) return void (this.host.isOpen() && this.frame.input.focus());
    const opening = this.#openings.get(option);
    if (opening) this.#opened(event, option as HTMLAnchorElement, opening);
  }

  #opened(event: MouseEvent, link: HTMLAnchorElement, { result, at }: Opening): void {
    const { site: ownSite, keepsRecent } = this.host.settings();
    const site = siteOf(result, ownSite);
    const q = this.#answer?.q ?? this.#asked;
    if (keepsRecent) {
      const title = result.title || result.url;
      const section = at === result ? result.sectionTitle : (at as Section).title;
      recent.add(q);
      pages.add({ href: buildResultUrl(at, { site, textFragment: false }), title, section: section === title ? "" : section });
    }
    if (!this.host.emit("searchsocket-select", { result, section: at === result ? null : at, q })) return event.preventDefault();
    this.#report(result.url, result.origin?.project);
    this.follow(event, link, at, q, site);
  }

  /** Before the browser opens a link: on this host, the page marks the match; elsewhere, the text fragment does. */
  follow(event: MouseEvent, link: HTMLAnchorElement, at: Pick<Section, "href" | "anchor" | "snippet" | "marks">, q: string, site: string): void {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button || link.origin !== location.origin) return;
    this.host.close();
    if (!this.host.settings().marks) return;
    rememberMatch(matchOf(at, q, site));
    // Routers use everything after `#` as an element id, so this click uses the anchor only.
    const { href } = link;
    link.href = buildResultUrl(at, { site, textFragment: false });
    setTimeout(() => ((link.href = href), followMatch()));
  }
}
