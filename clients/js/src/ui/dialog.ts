import type { Labels } from "../labels/labels.js";
import { h, icon, ICONS } from "./dom.js";
import { SearchElement } from "./element.js";
import { commandKey } from "./hotkeys.js";

/** A button that opens the search dialog; children of the element replace the button. */
export class SearchDialog extends SearchElement {
  // The native modal dialog traps the focus, and restores it on close.
  #dialog!: HTMLDialogElement;
  #height = 0; // last fitted height of the dialog, without transition
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
      if (!this.isOpen) this.panel.rest(); // this event is late: the dialog may be open again
      this.panel.host.emit("searchsocket-close", null);
    });
    // The panel fills the dialog, so a click outside the panel is outside the dialog.
    this.#dialog.addEventListener("pointerdown", ({ target }) => target === this.#dialog && this.close());
    this.#dialog.addEventListener("transitionend", () => (this.#dialog.style.blockSize = ""));
    // The page behind keeps its scroll position and scrollbar.
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

  /** Fit the height to the content: grow at once, shrink after a pause (`.settling`), so it does not jump during typing. */
  protected override fit(): void {
    if (!this.isOpen) return;
    const { style, classList } = this.#dialog;
    const from = style.blockSize ? this.#dialog.offsetHeight : this.#height;
    classList.remove("settling");
    style.blockSize = "";
    const to = (this.#height = this.#dialog.offsetHeight);
    if (to >= from) return;
    style.blockSize = `${from}px`;
    void this.#dialog.offsetHeight; // force layout: start of the transition
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
    this.panel.frame.input.blur(); // without an element to restore, the focus would stay here for a frame
  }
}
