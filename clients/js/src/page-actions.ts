// Importing this defines <searchsocket-page-actions>: copy the page as Markdown, view it, or send it to an assistant.
import { markdownPath } from "./handle/markdown.js";
import type { ActionLabels } from "./labels/labels.js";
import { languageAround, onLanguage, shipped } from "./labels/shipped.js";

export type { ActionLabels };

const ENGLISH: ActionLabels = {
  copy: "Copy page as Markdown",
  copied: "Copied",
  failed: "This page cannot be copied",
  view: "View as Markdown",
  open: "Open in {name}",
  prompt: "Read {url} so that I can ask questions about it.",
};

/** Address of an assistant; `{q}` is replaced by the question. */
const ASSISTANTS: Readonly<Record<string, readonly [name: string, address: string]>> = {
  claude: ["Claude", "https://claude.ai/new?q={q}"],
  chatgpt: ["ChatGPT", "https://chatgpt.com/?hints=search&q={q}"],
};

const STYLE = `
:host { display: inline-flex; flex-wrap: wrap; gap: .4rem; font: .875rem/1.4 var(--searchsocket-font, system-ui, sans-serif); }
:host([hidden]) { display: none; }
button, a { font: inherit; color: var(--searchsocket-text, inherit); background: none; text-decoration: none; cursor: pointer;
  min-block-size: 2rem; padding: .25rem .65rem; box-sizing: border-box; border: 1px solid var(--searchsocket-border, light-dark(#d9dde3, #3a3e47));
  border-radius: var(--searchsocket-radius, 8px); }
button:hover, a:hover { border-color: var(--searchsocket-accent, light-dark(#1a56c4, #8ab4ff)); }
:focus-visible { outline: 2px solid var(--searchsocket-accent, light-dark(#1a56c4, #8ab4ff)); outline-offset: 1px; }
button { display: inline-grid; } button > * { grid-area: 1 / 1; } .away { visibility: hidden; }
p { position: absolute; inline-size: 1px; block-size: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }`;

// Without a browser, as in server rendering, importing this does nothing.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/**
 * Attributes: `markdown` (address of the page's Markdown; default: what the page's head names, else its address with
 * `.md`), `assistants` (names, separated by spaces; `none` for none). Parts: `copy`, `view`, `assistant`.
 */
export class PageActions extends Base {
  static readonly observedAttributes = ["lang"];
  #labels: Partial<ActionLabels> = {};
  #endLanguage: (() => void) | null = null;
  #turn = 0; // number of the last request for texts; earlier ones are ignored

  /** Texts that replace the shipped ones. */
  get labels(): Partial<ActionLabels> {
    return this.#labels;
  }

  set labels(labels: Partial<ActionLabels>) {
    this.#labels = labels;
    void this.#speak();
  }

  connectedCallback(): void {
    if (!this.shadowRoot) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
      this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet];
    }
    this.#endLanguage = onLanguage(() => void this.#speak());
    void this.#speak();
  }

  disconnectedCallback(): void {
    this.#endLanguage?.();
  }

  attributeChangedCallback(): void {
    void this.#speak();
  }

  /** Return the address of the Markdown of the page that is shown now. */
  get source(): string {
    const stated = this.getAttribute("markdown") || document.querySelector('link[rel~=alternate][type="text/markdown"]')?.getAttribute("href");
    return new URL(stated || markdownPath(location.pathname.replace(/(.)\/$/, "$1")), location.href).href;
  }

  /** Copy the page's Markdown to the clipboard; false if that failed. */
  async copy(): Promise<boolean> {
    const text = fetch(this.source, { headers: { accept: "text/markdown" } }).then(async (response) => {
      const type = response.headers.get("content-type") ?? "";
      if (!response.ok || type.includes("html")) throw new Error(`status ${response.status}, ${type}`);
      return new Blob([await response.text()], { type: "text/plain" });
    });
    try {
      // Pass the promise: Safari allows a write only if it starts in the click.
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
      return true;
    } catch {
      text.catch(() => {});
      return false;
    }
  }

  async #speak(): Promise<void> {
    if (!this.isConnected || !this.shadowRoot) return;
    const turn = ++this.#turn;
    const words = (await shipped(languageAround(this)))?.actions ?? ENGLISH;
    if (turn === this.#turn) this.#draw({ ...words, ...this.#labels });
  }

  #draw(words: ActionLabels): void {
    const copy = element("button", { type: "button", part: "copy" }, element("span", {}, words.copy));
    // Reserve space for both texts, so that the layout does not shift.
    const done = copy.appendChild(element("span", { class: "away", "aria-hidden": "true" }, words.copied));
    const status = element("p", { role: "status" });
    copy.addEventListener("click", async () => {
      const copied = await this.copy();
      status.textContent = done.textContent = copied ? words.copied : words.failed;
      copy.firstElementChild!.className = "away";
      done.className = "";
      setTimeout(() => {
        copy.firstElementChild!.className = status.textContent = "";
        done.className = "away";
      }, 2000);
    });
    const view = element("a", { part: "view", href: this.source }, words.view);
    const names = (this.getAttribute("assistants") ?? Object.keys(ASSISTANTS).join(" ")).split(/\s+/);
    const links = names.flatMap((key) => {
      const [name, address] = ASSISTANTS[key] ?? [];
      if (!name || !address) return [];
      const href = () => address.replace("{q}", encodeURIComponent(words.prompt.replace("{url}", this.source)));
      const link = element("a", { part: "assistant", href: href(), target: "_blank", rel: "noopener noreferrer" }, words.open.replace("{name}", name));
      link.addEventListener("click", () => link.setAttribute("href", href()));
      return [link];
    });
    view.addEventListener("click", () => view.setAttribute("href", this.source));
    this.shadowRoot!.replaceChildren(copy, view, ...links, status);
  }
}

function element<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Record<string, string>, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

declare global {
  interface HTMLElementTagNameMap {
    "searchsocket-page-actions": PageActions;
  }
}

if (globalThis.customElements && !customElements.get("searchsocket-page-actions")) {
  customElements.define("searchsocket-page-actions", PageActions);
}
