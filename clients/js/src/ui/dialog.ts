import type { Labels } from "../labels/labels.js";
import { h, icon, ICONS } from "./dom.js";
import { SearchElement } from "./element.js";
import { commandKey } from "./hotkeys.js";

/** A button that opens the search above the page; what stands inside of the element takes the button's place. */
export class SearchDialog extends SearchElement {
  // The browser's own modal dialog keeps the focus inside, and gives it back to where it was.
  #dialog!: HTMLDialogElement;
  #height = 0; // of the dialog without a transition, when it was fitted last
  readonly #text = { trigger: null as HTMLElement | null, close: null as HTMLElement | null };

  protected override build(root: ShadowRoot): void {
    const text = (this.#text.trigger = h("span", { part: "label" }));
    const trigger = h("button", { type: "button", part: "button", class: "trigger", "aria-haspopup": "dialog" }, icon(ICONS.search), text);
    if (this.getAttribute("hotkeys") !== "off") {
      trigger.append(h("kbd", { part: "keys", "aria-hidden": "true" }, commandKey()));
      trigger.setAttribute("aria-keyshortcuts", "Control+K Meta+K /");
    }
    const slot = h("slot", {}, trigger);
    slot.addEventListener("click", () => this.open());
    const { frame } = this.panel;
    const close = (this.#text.close = h("button", { type: "button", part: "close", class: "quiet" }, ""));
    frame.bar.append(close);
    close.addEventListener("click", () => this.close());
    this.#dialog = h("dialog", { part: "dialog" }, h("div", { class: "panel" }, frame.bar, frame.popup));
    this.#dialog.addEventListener("close", () => {
      if (!this.isOpen) this.panel.rest(); // it comes later, when it may be open again
      this.panel.host.emit("searchsocket-close", null);
    });
    // Only what lies outside of the dialog is not inside of its panel.
    this.#dialog.addEventListener("pointerdown", ({ target }) => target === this.#dialog && this.close());
    this.#dialog.addEventListener("transitionend", () => (this.#dialog.style.blockSize = ""));
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

  /** As high as its content: more at once, less after a pause (`.settling`), so that it does not jump while one types. */
  protected override fit(): void {
    if (!this.isOpen) return;
    const { style, classList } = this.#dialog;
    const from = style.blockSize ? this.#dialog.offsetHeight : this.#height;
    classList.remove("settling");
    style.blockSize = "";
    const to = (this.#height = this.#dialog.offsetHeight);
    if (to >= from) return;
    style.blockSize = `${from}px`;
    void this.#dialog.offsetHeight; // where the transition begins
    classList.add("settling");
    style.blockSize = `${to}px`;
  }

  override get isOpen(): boolean {
    return !!this.#dialog?.open;
  }

  override open(): void {
    if (!this.isConnected || this.isOpen) return;
    this.panel.refresh();
    this.#dialog.style.blockSize = "";
    this.#dialog.firstElementChild!.role = this.closest("[role=search], search") ? null : "search"; // one landmark is enough
    this.#dialog.showModal();
    this.#height = this.#dialog.offsetHeight;
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
