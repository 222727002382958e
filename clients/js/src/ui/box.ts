import type { Labels } from "../labels/labels.js";
import { h } from "./dom.js";
import { SearchElement } from "./element.js";

/** A search field in the page, with results below it. */
export class SearchBox extends SearchElement {
  #panelElement!: HTMLElement;

  protected override build(root: ShadowRoot): void {
    const { bar, popup, input } = this.panel.frame;
    popup.hidden = true;
    this.#panelElement = h("div", { class: "panel", role: "search" }, bar, popup);
    this.#panelElement.addEventListener("focusout", ({ relatedTarget }) => {
      if (!this.#panelElement.contains(relatedTarget as Node | null)) this.close();
    });
    input.addEventListener("focus", () => (this.panel.refresh(), this.shown()));
    input.addEventListener("pointerdown", () => this.shown());
    // A press beside the options must not move the focus, which would close the results.
    popup.addEventListener("pointerdown", (event) => (event.target as Element).closest("select,button,a") ?? event.preventDefault());
    popup.addEventListener("mousedown", (event) => (event.target as Element).closest("select,button") ?? event.preventDefault());
    root.append(this.#panelElement);
  }

  protected override relabel(_: Labels): void {}

  protected override shown(): void {
    const { popup, input, list } = this.panel.frame;
    if (!popup.hidden || !this.contains(document.activeElement) && !this.shadowRoot!.activeElement) return;
    popup.hidden = false;
    input.setAttribute("aria-expanded", String(!list.hidden));
    this.panel.host.emit("searchsocket-open", null);
  }

  override get isOpen(): boolean {
    return this.hasPanel && !this.panel.frame.popup.hidden;
  }

  override open(): void {
    const { input } = this.panel.frame;
    input.focus();
    input.select();
    this.shown();
  }

  override close(): void {
    if (!this.isOpen) return;
    const { popup, input } = this.panel.frame;
    popup.hidden = true;
    input.setAttribute("aria-expanded", "false");
    this.panel.rest();
    this.panel.host.emit("searchsocket-close", null);
  }
}
