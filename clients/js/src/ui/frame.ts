import type { SearchError } from "../errors.js";
import type { Labels } from "../labels/labels.js";
import type { Words } from "../labels/words.js";
import type { SearchAnswer } from "../types.js";
import { h, icon, ICONS } from "./dom.js";
import { optionKey } from "./hotkeys.js";

interface Around {
  meant: string;
  completions: readonly string[];
  isFiltered: boolean;
  missing: string;
  hasMore: boolean;
}

/** The elements of a search, and the texts around the results. */
export class Frame {
  readonly input = h("input", {
    id: "q", part: "input", type: "search", role: "combobox", "aria-controls": "list", "aria-expanded": "false",
    "aria-autocomplete": "list", autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
    enterkeyhint: "search", maxlength: 1000,
  }); // prettier-ignore
  readonly clear = h("button", { type: "button", part: "clear", class: "quiet", hidden: true }, icon(ICONS.cross));
  readonly list = h("div", { id: "list", part: "list", class: "list", role: "listbox", hidden: true });
  readonly suggestions = h("div", { part: "suggestions", class: "suggestions", role: "group" });
  readonly bar: HTMLElement;
  readonly popup: HTMLElement;
  /** The query that Arrow Right completes. */
  completion = "";
  readonly #tools: HTMLElement;
  readonly #status = h("p", { part: "status", class: "status", role: "status" });
  readonly #message = h("div", { part: "message", class: "message", role: "status" });
  readonly #foot = h("div", { part: "foot", class: "foot" });
  readonly #keys = h("span", { class: "keys", "aria-hidden": "true" });
  readonly #syntax = h("span", { part: "syntax", class: "syntax", dir: "auto" });
  readonly #label = h("label", { for: "q", class: "hidden" });

  constructor(readonly filters: HTMLElement) {
    this.bar = h("div", { part: "bar", class: "bar" }, icon(ICONS.search), this.#label, this.input, this.clear);
    this.#tools = h("div", { part: "tools", class: "tools hidden" }, this.#status, this.suggestions, filters);
    this.popup = h("div", { part: "popup", class: "popup" }, this.#tools, this.#message, this.list, this.#foot);
  }

  /** Set all texts that depend only on the language. */
  label({ labels }: Words, placeholder: string): void {
    this.#label.textContent = labels.search;
    this.input.placeholder = placeholder || labels.search;
    this.clear.setAttribute("aria-label", labels.clear);
    this.list.setAttribute("aria-label", labels.results);
    this.#syntax.textContent = labels.syntax;
  }

  /** The keyboard help in the footer. */
  #help({ labels, language }: Words, isKept: boolean): void {
    const hint = (keys: string, label: string) => [...keys.split(" ").map((key) => h("kbd", {}, key)), ` ${label.toLocaleLowerCase(language)} `];
    const kept = isKept ? [...hint(`${optionKey()} P`, labels.pin), ...hint("Del", labels.remove)] : [];
    this.#keys.replaceChildren(...hint("↑ ↓", labels.move), ...hint("↵", labels.open), ...kept, ...hint("Esc", labels.close));
  }

  /** An answer is pending; current results stay, so that the layout does not shift. */
  busy(isBusy: boolean, labels: Labels): void {
    this.list.setAttribute("aria-busy", String(isBusy));
    this.bar.classList.toggle("busy", isBusy);
    if (isBusy && !this.#status.textContent) this.#status.textContent = labels.searching;
  }

  /** The query is empty; without start entries, only the field is shown. */
  start(words: Words, hasEntries: boolean, isKept: boolean): void {
    this.#help(words, isKept);
    this.#say("");
    this.#suggest("", []);
    this.#tell();
    this.#end(hasEntries, isKept ? [button("forget", words.labels.clearRecent)] : []);
  }

  answered(answer: SearchAnswer, words: Words, around: Around): void {
    const { labels } = words;
    this.#help(words, false);
    const isEmpty = !answer.results.length;
    const isWeak = answer.quality === "weak" && !isEmpty;
    const none = words.filled(labels.none, { query: answer.q });
    // The correction is shown beside the count, and read with it.
    this.#say(isEmpty ? "" : words.counted(labels.count, answer.total), around.meant && `${labels.didYouMean} ${around.meant}`);
    this.#suggest(around.meant ? labels.didYouMean : labels.completions, around.meant ? [around.meant] : around.completions, !!around.meant);
    this.completion = around.meant ? "" : (around.completions[0] ?? "");
    const missing = around.missing ? [h("a", { part: "missing", href: around.missing, class: "missing" }, labels.missing)] : [];
    this.#tell(
      ...(isWeak ? [h("p", { part: "weak", class: "weak" }, labels.weak)] : []),
      ...(isEmpty ? [h("p", { class: "none" }, h("strong", {}, none)), h("p", {}, labels.noneHint)] : []),
      ...(isEmpty && around.isFiltered ? [button("unfilter", labels.unfilter)] : []),
      ...(isEmpty ? missing : []),
    );
    this.#end(!isEmpty, [...(around.hasMore ? [button("more", labels.more)] : []), ...(isEmpty ? [] : missing)]);
    this.#tools.classList.toggle("hidden", isEmpty && !!this.suggestions.hidden && !!this.filters.hidden);
  }

  /** @param isFile The page was opened from disk and uses a static export. */
  failed(error: SearchError, isFile: boolean, words: Words): void {
    const { labels } = words;
    this.#help(words, false);
    const byCode: Record<string, string> = {
      RATE_LIMITED: error.retryAfterS === null ? labels.failed : words.counted(labels.limited, error.retryAfterS),
      TIMED_OUT: labels.late,
      UNREACHABLE: isFile ? labels.fromDisk : labels.unreachable,
    };
    // The service's message about a request is for developers, in English: "the query is empty".
    const text = byCode[error.code] ?? (error.status === 400 ? error.message : labels.failed);
    this.#say("");
    this.#suggest("", []);
    this.#tell(h("p", { part: "error", class: "error" }, text), ...(error.retryable && !isFile ? [button("retry", labels.retry)] : []));
    this.#end(false, []);
  }

  /** @param heard Text for screen readers only. */
  #say(text: string, heard = ""): void {
    const after = text && heard ? `. ${heard}` : heard;
    if (this.#status.textContent !== text + after) this.#status.replaceChildren(text, ...(after ? [h("span", { class: "hidden" }, after)] : []));
  }

  /** Show a message instead of the list, or above it. */
  #tell(...children: HTMLElement[]): void {
    this.#message.replaceChildren(...children);
  }

  #suggest(label: string, queries: readonly string[], isMeant = false): void {
    this.completion = "";
    const chips = queries.map((q) => h("button", { type: "button", part: "suggestion", class: "chip", value: q }, q));
    this.suggestions.setAttribute("aria-label", label);
    this.suggestions.hidden = !chips.length;
    this.suggestions.replaceChildren(...(isMeant ? [h("span", {}, `${label} `)] : []), ...chips);
  }

  /** Last part of each state: no footer without a list; tools only for an answer. */
  #end(hasList: boolean, children: readonly HTMLElement[]): void {
    this.#tools.classList.add("hidden"); // visually only: screen readers still read its status
    this.#foot.hidden = !hasList;
    this.#foot.replaceChildren(this.#keys, this.#syntax, ...children);
  }
}

function button(value: string, text: string): HTMLButtonElement {
  return h("button", { type: "button", part: "action", class: "action", value }, text);
}
