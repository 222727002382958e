import type { Labels } from "../labels/labels.js";
import { languageAround, onLanguage } from "../labels/shipped.js";
import { wordsIn } from "../labels/words.js";
import { onHotkey } from "./hotkeys.js";
import { Panel } from "./panel.js";
import { ATTRIBUTES, settingsOf } from "./settings.js";
import { sheetOf } from "./sheet.js";
import { CSS } from "./style.js";

// Without a browser, as in server rendering, importing this does nothing.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

let sheet: CSSStyleSheet | null = null; // one for all elements

/** Base of both elements: attributes, language, shortcuts, and a panel that is created on demand. */
export abstract class SearchElement extends Base {
  static readonly observedAttributes = ATTRIBUTES;
  #panel: Panel | null = null;
  #labels: Partial<Labels> = {};
  #endHotkey: (() => void) | null = null;
  #endLanguage: (() => void) | null = null;
  #turn = 0; // number of the last request for texts; earlier ones are ignored

  /** Show the search and focus its field. */
  abstract open(): void;
  abstract close(): void;
  abstract get isOpen(): boolean;
  /** Add the elements to the shadow root, once. */
  protected abstract build(root: ShadowRoot): void;
  protected abstract relabel(labels: Labels): void;

  /** Texts that replace the shipped ones, see `Labels`. */
  get labels(): Partial<Labels> {
    return this.#labels;
  }

  set labels(labels: Partial<Labels>) {
    this.#labels = labels;
    void this.#speak();
  }

  /** Open the search and run a query. */
  search(q: string): void {
    this.open();
    this.panel.search(q);
  }

  connectedCallback(): void {
    if (!this.shadowRoot) {
      const root = this.attachShadow({ mode: "open" });
      root.adoptedStyleSheets = [(sheet ??= sheetOf(CSS))];
      this.build(root);
      // Hide typed keys from the page's shortcuts, such as arrows that turn pages; our shortcuts have Cmd or Ctrl.
      root.querySelector<HTMLElement>(".panel")!.addEventListener("keydown", (event) => {
        if (!event.metaKey && !event.ctrlKey) event.stopPropagation();
      });
    }
    if (this.getAttribute("hotkeys") !== "off") this.#endHotkey = onHotkey(() => (this.isOpen ? this.close() : this.open()));
    this.#endLanguage = onLanguage(() => void this.#speak());
    void this.#speak();
  }

  disconnectedCallback(): void {
    this.#endHotkey?.();
    this.#endLanguage?.();
    this.#endHotkey = this.#endLanguage = null;
    this.#panel?.rest();
  }

  attributeChangedCallback(name: string): void {
    if (!this.isConnected) return;
    if (name === "lang" || name === "placeholder") void this.#speak();
    if (name === "hotkeys") this.disconnectedCallback(), this.connectedCallback();
  }

  protected get hasPanel(): boolean {
    return this.#panel !== null;
  }

  /** For scripts that extend the search. */
  get panel(): Panel {
    this.#panel ??= new Panel({
      settings: () => settingsOf(this),
      emit: (name, detail) => this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true })),
      open: () => this.shown(),
      fit: () => this.fit(),
      close: () => this.close(),
      isOpen: () => this.isOpen,
    });
    return this.#panel;
  }

  /** The content of the panel changed. */
  protected fit(): void {}

  /** Typing began. */
  protected shown(): void {}

  async #speak(): Promise<void> {
    const turn = ++this.#turn;
    const own = this.getAttribute("lang");
    const words = await wordsIn(languageAround(this), this.#labels);
    if (turn !== this.#turn) return;
    if (own) this.shadowRoot!.querySelectorAll<HTMLElement>(".panel,.trigger").forEach((part) => (part.dir = directionOf(words.language)));
    this.relabel(words.labels);
    this.panel.speak(words);
  }
}

function directionOf(language: string): "ltr" | "rtl" {
  return /^(ar|fa|he|iw|ur|ps|sd|ug|yi|dv|ckb)\b/i.test(language) ? "rtl" : "ltr";
}
