import type { Labels } from "../labels/labels.js";
import { h, icon, ICONS } from "./dom.js";
import { SearchElement } from "./element.js";
import { commandKey } from "./hotkeys.js";

/** A button that opens the search above the page; what stands inside of the element takes the button's place. */
export class SearchDialog extends SearchElement {
  // The browser's own modal dialog keeps the focus inside, and gives it back to where it was.
  #dialog!: HTMLDialogElement;
  readonly #text = { trigger: null as HTMLElement | null, close: null as HTMLElement | null };

  protected override build(root: ShadowRoot): void {
    const text = (this.#text.trigger = h("span"));
    const trigger = h("button", { type: "button", part: "button", class: "trigger", "aria-haspopup": "dialog" }, icon(ICONS.search), text);
    if (this.getAttribute("hotkeys") !== "off") {
      trigger.append(h("kbd", { "aria-hidden": "true" }, commandKey()));
      trigger.setAttribute("aria-keyshortcuts", "Control+K Meta+K /");
    }
    const slot = h("slot", {}, trigger);
    slot.addEventListener("click", () => this.open());
    const { frame } = this.panel;
    const close = (this.#text.close = h("button", { type: "button", part: "close", class: "quiet" }, ""));
    frame.bar.append(close);
    close.addEventListener("click", () => this.close());
    this.#dialog = h("dialog", { part: "dialog" }, h("div", { class: "panel", role: "search" }, frame.bar, frame.popup));
    this.#dialog.addEventListener("close", () => {
      if (!this.isOpen) this.panel.rest(); // it comes later, when it may be open again
      this.panel.host.emit("searchsocket-close", null);
    });
    // Only what lies outside of the dialog is not inside of its panel.
    this.#dialog.addEventListener("pointerdown", ({ target }) => target === this.#dialog && this.close());
    // The page behind keeps its place, and its scrollbar.
    const isOutside = (event: Event) => !event.composedPath().includes(frame.list) && !event.composedPath().includes(frame.popup);
    this.#dialog.addEventListener("wheel", (event) => isOutside(event) && event.preventDefault(), { passive: false });
    this.#dialog.addEventListener("touchmove", (event) => isOutside(event) && event.preventDefault(), { passive: false });
    root.append(slot, this.#dialog);
  }

  protected override relabel(labels: Labels): void {
    const { trigger, close } = this.#text;
    trigger!.textContent = labels.search;
    close!.textContent = labels.close;
    this.#dialog.setAttribute("aria-label", labels.search);
  }

  override get isOpen(): boolean {
    return !!this.#dialog?.open;
  }

  override open(): void {
    if (!this.isConnected || this.isOpen) return;
    this.panel.refresh();
    this.#dialog.showModal();
    const { input } = this.panel.frame;
    input.focus();
    input.select();
    this.panel.host.emit("searchsocket-open", null);
  }

  override close(): void {
    if (!this.isOpen) return;
    this.#dialog.close();
    this.panel.rest();
    this.panel.frame.input.blur(); // where there was no focus to go back to, it would stay here until the next frame
  }
}
