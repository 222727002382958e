import { en } from "./english.js";
import type { ActionLabels, AnswerLabels } from "../labels/labels.js";
import { shipped } from "../labels/shipped.js";
import { SearchError } from "../errors.js";
import { buildResultUrl } from "../result-url.js";
import type { SearchAnswer } from "../types.js";
import { h, icon, ICONS } from "../ui/dom.js";
import { optionKey } from "../ui/hotkeys.js";
import type { Panel } from "../ui/panel.js";
import { sheetOf } from "../ui/sheet.js";
import { answer, type AnswerRequest, type Citation, type Refusal, type Sentence } from "./events.js";
import { prose } from "./prose.js";
import { isQuestion } from "./question.js";
import { CSS } from "./style.js";

const MAX_TURNS = 4; // that the service reads

/** One question and what is shown for it. */
interface Turn {
  readonly q: string;
  readonly article: HTMLElement;
  readonly sentences: Sentence[];
  readonly citations: Map<number, Citation>;
}

type Texts = AnswerLabels & Pick<ActionLabels, "copied">;

/** The answers of a search in sentences: an option above the results, and the view that it opens instead of them. */
export class AnswerView {
  readonly #element = h("section", { part: "answer", class: "answer", tabindex: -1 });
  readonly #turns = h("div");
  readonly #below = h("div");
  #history: Turn[] = [];
  #texts: Texts = { ...en, copied: "Copied" };
  #language = "en";
  #stop: AbortController | null = null;
  #found: SearchAnswer | null = null;
  #q = ""; // that the view was opened for

  constructor(
    readonly host: HTMLElement,
    readonly panel: Panel,
  ) {
    const { frame } = panel;
    host.shadowRoot!.adoptedStyleSheets.push(sheetOf(CSS));
    this.#element.append(this.#turns, this.#below);
    this.#element.addEventListener("pointerdown", (event) => event.stopPropagation()); // the box keeps other presses from the focus
    this.#element.addEventListener("mousedown", (event) => event.stopPropagation());
    panel.above = (found) => this.#options(found);
    frame.input.addEventListener("input", () => this.#close());
    frame.clear.addEventListener("click", () => this.#close());
    frame.bar.parentElement!.addEventListener("keydown", (event) => this.#key(event), true);
    host.addEventListener("searchsocket-close", () => this.#stop?.abort());
  }

  get isOpen(): boolean {
    return this.#element.isConnected;
  }

  /** The option of a query that is a question, or that has no results. */
  #options(found: SearchAnswer): HTMLElement[] {
    if (this.panel.frame.input.value.trim() !== this.#q) this.#hide();
    if (this.isOpen) queueMicrotask(() => this.#cover()); // after the list is shown
    this.#found = found;
    void this.#speak();
    const { ask, questions } = this.#texts;
    if (found.results.length && !isQuestion(found.q, en.questions, questions)) return [];
    const title = h("span", { part: "title", class: "title", dir: "auto" }, this.panel.words.filled(ask, { query: found.q }));
    const keys = h("kbd", { "aria-hidden": "true" }, `${optionKey()} ↵`);
    const option = h("div", { role: "option", part: "ask", class: "recent ask", "aria-keyshortcuts": "Alt+Enter" }, icon(ICONS.star), title, keys);
    option.addEventListener("click", () => this.open(found.q));
    return [option];
  }

  /** The texts in the language of the search; the option is drawn again when they have come. */
  async #speak(): Promise<void> {
    const { language } = this.panel.words;
    if (language === this.#language) return;
    this.#language = language;
    const texts = await shipped(language);
    this.#texts = texts ? { ...texts.answers, copied: texts.actions.copied } : { ...en, copied: "Copied" };
    this.panel.show();
  }

  #key(event: KeyboardEvent): void {
    const { input } = this.panel.frame;
    const isField = event.composedPath()[0] === input;
    if (event.isComposing) return;
    if (!this.isOpen) {
      if (event.key !== "Enter" || !event.altKey || !isField || !input.value.trim()) return;
      this.open(input.value.trim());
    } else if (event.key === "Escape") {
      this.#close();
      input.focus();
    } else if (isField && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      this.#element.scrollBy({ top: event.key === "ArrowDown" ? 60 : -60 });
    } else if (!isField || event.key !== "Enter") {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Show the view and ask. */
  open(q: string): void {
    const { popup } = this.panel.frame;
    this.#q = q;
    this.#turns.replaceChildren();
    this.#history = [];
    this.panel.host.open();
    popup.classList.add("answering");
    popup.append(this.#element);
    this.#cover();
    this.#element.setAttribute("aria-label", this.panel.words.filled(this.#texts.ask, { query: q }));
    void this.#ask(q);
  }

  /** The field has no list while the view is open. */
  #cover(): void {
    const { list, input } = this.panel.frame;
    if (!this.isOpen) return;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  /** Go back to the results. */
  #close(): void {
    if (this.#hide()) this.panel.show();
  }

  /** Return true if the view was open. */
  #hide(): boolean {
    if (!this.isOpen) return false;
    this.#stop?.abort();
    this.#element.remove();
    this.panel.frame.popup.classList.remove("answering");
    return true;
  }

  async #ask(q: string): Promise<void> {
    this.#stop?.abort();
    const stop = (this.#stop = new AbortController());
    const texts = this.#texts;
    const body = h("div", { "aria-live": "polite", "aria-relevant": "additions" });
    const status = h("p", { class: "note", role: "status" }, texts.answering);
    const article = h("article", {}, h("h2", { dir: "auto" }, q), body, status);
    const turn: Turn = { q, article, sentences: [], citations: new Map() };
    this.#turns.append(article);
    this.#show(button("stop", texts.stop, () => stop.abort()));
    this.#element.scrollTop = article.offsetTop - this.#element.offsetTop;
    try {
      await answer(
        this.#address,
        this.#request(q),
        {
          citation: (citation) => turn.citations.set(citation.number, citation),
          sentence: (sentence) => {
            turn.sentences.push(sentence);
            this.#write(body, turn, sentence);
            this.panel.host.fit();
          },
          done: ({ dropped }) => status.replaceChildren(dropped ? this.panel.words.counted(texts.dropped, dropped) : ""),
          refused: (refusal) => {
            turn.sentences.length = 0; // too few of them were proved
            this.#refuse(body, refusal);
          },
        },
        stop.signal,
      );
      if (turn.sentences.length) status.prepend(`${texts.caution} `);
      else status.remove();
      this.#end(turn, "");
    } catch (error) {
      if (!stop.signal.aborted) this.#fail(body, error);
      status.remove();
      if (this.isOpen) this.#end(turn, stop.signal.aborted ? "" : "retry");
    }
    this.panel.host.emit("searchsocket-answer", { q, sentences: turn.sentences.map(({ text }) => text) });
  }

  get #address(): string {
    const { endpoint } = this.panel.host.settings();
    return this.host.getAttribute("answers")?.trim() || endpoint.replace(/[^/]*$/, "answer");
  }

  #request(q: string): AnswerRequest {
    const { scope } = this.panel.host.settings();
    const { facets: _, ...pages } = this.panel.filters.request();
    const history = this.#history.slice(-MAX_TURNS).map((turn) => ({ question: turn.q, answer: turn.sentences.map(({ text }) => text).join(" ") }));
    return { q, history, ...(scope ? { scope } : {}), ...pages };
  }

  /** Add a sentence to its paragraph, list or block of code. */
  #write(body: HTMLElement, turn: Turn, { kind, text, paragraph, quoted, citations, quotes }: Sentence): void {
    const cited = citations.flatMap((number, at) => {
      const citation = turn.citations.get(number);
      return citation ? { ...citation, quote: quotes?.[at] ?? citation.quote } : [];
    });
    if (kind === "code") {
      const copy = this.#copier(this.#texts.copyCode, () => text);
      const label = h("span", {}, quoted ? "" : this.#texts.unquoted, ...cited.map((citation) => this.#chip(turn, citation)));
      body.append(h("figure", {}, h("figcaption", {}, label, copy), h("pre", { dir: "ltr", tabindex: 0 }, h("code", {}, text))));
      return;
    }
    let block = body.lastElementChild;
    const isItem = kind === "item";
    if (isItem && block?.localName !== "ul") body.append((block = h("ul")));
    const home = isItem ? block! : body;
    let place = home.lastElementChild as HTMLElement | null;
    if (place?.dataset.paragraph !== String(paragraph) || place.localName !== (isItem ? "li" : "p")) {
      place = home.appendChild(h(isItem ? "li" : "p", { dir: "auto", "data-paragraph": paragraph }));
    }
    const hrefOf = (url: string) => {
      const citation = [...cited, ...turn.citations.values()].find((one) => one.url === url);
      return citation ? this.#hrefOf(citation) : null;
    };
    place.append(...prose(text, hrefOf), ...cited.map((citation) => this.#chip(turn, citation)), " ");
  }

  #hrefOf({ url, quote }: Citation): string {
    return buildResultUrl({ href: url, snippet: quote, marks: wholeOf(quote) }, { site: this.panel.host.settings().site });
  }

  #chip(turn: Turn, citation: Citation): HTMLElement {
    return this.#link(turn, citation, { part: "citation", class: "cite", title: nameOf(citation), "aria-label": `${citation.number}: ${nameOf(citation)}` }, String(citation.number));
  }

  /** A link that opens the section with its passage marked; source code has no address. */
  #link(turn: Turn, citation: Citation, attributes: Record<string, string>, text: string): HTMLElement {
    if (!citation.url) return h("span", { ...attributes, "aria-label": null }, text);
    const link = h("a", { ...attributes, href: this.#hrefOf(citation) }, text);
    const { url, quote } = citation;
    const at = { href: url, anchor: url.split("#")[1] ?? "", snippet: quote, marks: wholeOf(quote) };
    link.addEventListener("click", (event) => this.panel.follow(event, link, at, turn.q, this.panel.host.settings().site));
    return link;
  }

  #refuse(body: HTMLElement, { reason, results }: Refusal): void {
    const { notCovered, unproved, unavailable } = this.#texts;
    const texts: Record<string, string> = { not_covered: notCovered, unsupported: unproved };
    body.replaceChildren(h("p", { class: "refused" }, texts[reason] ?? unavailable), this.#nearest(results));
  }

  #nearest(results: Refusal["results"]): HTMLElement {
    const { site } = this.panel.host.settings();
    return h("ul", { class: "links" }, ...results.map(({ title, url }) => h("li", {}, h("a", { href: buildResultUrl({ href: url }, { site }), dir: "auto" }, title || url))));
  }

  /** The service failed: the pages that the search found are what is left. */
  #fail(body: HTMLElement, error: unknown): void {
    const problem = error instanceof SearchError ? error : new SearchError("UNREACHABLE", String(error));
    console.error(`${this.#address}: ${problem.code} ${problem.message}`);
    const found = this.#found?.results.slice(0, 5).map(({ title, href }) => ({ title, url: href })) ?? [];
    body.append(h("p", { class: "refused", role: "alert" }, this.#texts.unavailable), this.#nearest(found));
  }

  /** What follows an answer: its sources, and what a reader may do with it. */
  #end(turn: Turn, retry: string): void {
    const texts = this.#texts;
    this.#stop = null;
    const cited = [...turn.citations.values()].filter(({ number }) => turn.sentences.some(({ citations }) => citations.includes(number)));
    if (cited.length) {
      const links = cited.map((citation) => h("li", {}, `${citation.number} `, this.#link(turn, citation, { part: "source", dir: "auto" }, nameOf(citation))));
      turn.article.append(h("p", { class: "note" }, texts.sources), h("ul", { class: "links" }, ...links));
    }
    if (turn.sentences.length) {
      this.#history.push(turn);
      turn.article.append(h("div", { class: "row" }, this.#copier(texts.copy, () => this.#markdown(turn)), ...this.#votes(turn)));
    }
    const again = retry ? [button("again", this.panel.words.labels.retry, () => (turn.article.remove(), void this.#ask(turn.q)))] : [];
    this.#show(...again, button("back", texts.back, () => (this.#close(), this.panel.frame.input.focus())));
    if (turn.sentences.length) this.#below.prepend(this.#form());
    this.panel.host.fit();
  }

  #show(...buttons: HTMLElement[]): void {
    this.#below.replaceChildren(h("div", { class: "row" }, ...buttons));
    this.panel.host.fit();
  }

  #form(): HTMLElement {
    const field = h("input", { type: "text", part: "follow-up", maxlength: 1000, autocomplete: "off", placeholder: this.#texts.followUp, "aria-label": this.#texts.followUp });
    const form = h("form", {}, field);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!field.value.trim()) return;
      this.#element.focus(); // the field goes
      void this.#ask(field.value.trim());
    });
    return form;
  }

  #votes({ q }: Turn): HTMLElement[] {
    const vote = (helpful: boolean, text: string) => {
      const made = button(helpful ? "helpful" : "unhelpful", text, () => {
        const body = JSON.stringify({ q, helpful });
        void fetch(`${this.#address}/feedback`, { method: "POST", headers: { "content-type": "application/json" }, body, keepalive: true }).catch(() => undefined);
        for (const one of votes) (one as HTMLButtonElement).disabled = true;
        thanks.textContent = this.#texts.thanks;
      });
      return made;
    };
    const thanks = h("span", { class: "note", role: "status" });
    const votes = [vote(true, this.#texts.helpful), vote(false, this.#texts.unhelpful)];
    return [...votes, thanks];
  }

  #copier(label: string, text: () => string): HTMLElement {
    const made = button("copy", label, () => {
      void navigator.clipboard.writeText(text()).then(
        () => (made.textContent = this.#texts.copied),
        () => undefined,
      );
    });
    return made;
  }

  /** The answer as Markdown, with links to its sources. */
  #markdown({ q, sentences, citations }: Turn): string {
    const absolute = (citation: Citation) => new URL(buildResultUrl({ href: citation.url }, { site: this.panel.host.settings().site }), location.href).href;
    const links = (numbers: readonly number[]) => numbers.flatMap((number) => citations.get(number) ?? []).map((citation) => `[${citation.number}](${absolute(citation)})`).join(" ");
    const blocks: { paragraph: number; text: string }[] = [];
    for (const { kind, text, paragraph, citations: cited } of sentences) {
      const last = blocks.at(-1);
      const written = kind === "code" ? `\`\`\`\n${text}\n\`\`\`` : `${text} ${links(cited)}`.trim();
      if (kind === "text" && last?.paragraph === paragraph) last.text += ` ${written}`;
      else blocks.push({ paragraph, text: kind === "item" ? `- ${written}` : written });
    }
    const sources = [...citations.values()].map((citation) => `${citation.number}. [${nameOf(citation)}](${absolute(citation)})`);
    return [`## ${q}`, ...blocks.map(({ text }) => text), sources.join("\n")].join("\n\n") + "\n";
  }
}

function nameOf({ title, section, url }: Citation): string {
  return section && section !== title ? `${title} › ${section}` : title || url;
}

/** Marks of a whole text. */
function wholeOf(text: string): [[number, number]] {
  return [[0, Array.from(text).length]];
}

function button(part: string, text: string, act: () => void): HTMLButtonElement {
  const made = h("button", { type: "button", part, class: "quiet tell" }, text);
  made.addEventListener("click", act);
  return made;
}
