/** The list of a combobox: the focus stays in the field, which names the active option. */
export class Listbox {
  active = -1;
  #options: HTMLElement[] = [];
  #pointer = "";

  constructor(
    readonly input: HTMLInputElement,
    readonly list: HTMLElement,
  ) {
    // Only a moving pointer selects: the list may scroll below a resting one.
    list.addEventListener("pointermove", ({ target, clientX, clientY }) => {
      const position = `${clientX} ${clientY}`;
      const option = (target as Element).closest<HTMLElement>("[role=option]");
      if (option && position !== this.#pointer) this.#activate(this.#options.indexOf(option), false);
      this.#pointer = position;
    });
  }

  get option(): HTMLElement | undefined {
    return this.#options[this.active];
  }

  /**
   * @param active The option that Enter opens; -1 = none.
   * @param keepsPlace True: keep the scroll position.
   */
  show(groups: readonly HTMLElement[], active: number, keepsPlace = false): void {
    const top = this.list.scrollTop;
    this.list.replaceChildren(...groups);
    this.#options = [...this.list.querySelectorAll<HTMLElement>("[role=option]")];
    this.#options.forEach((option, at) => (option.id = `option-${at}`));
    this.list.hidden = !this.#options.length;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    this.#activate(Math.min(active, this.#options.length - 1), false);
    this.list.scrollTop = keepsPlace ? top : 0;
  }

  /** Select the option with a key. */
  activate(key: string): void {
    this.#activate(this.#options.findIndex((option) => option.dataset.key === key), true);
  }

  /** Handle a key; true if it belongs to the list. */
  key({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 5, PageUp: -5 };
    const step = steps[key];
    const count = this.#options.length;
    if (!step || ctrlKey || metaKey || altKey || !count) return false;
    const to = this.active + step;
    const isPage = Math.abs(step) > 1;
    this.#activate(isPage ? Math.max(0, Math.min(to, count - 1)) : this.active < 0 && step < 0 ? count - 1 : (to + count) % count, true);
    return true;
  }

  /** Open the active option, in another tab with the usual modifier keys. */
  pick({ ctrlKey = false, metaKey = false, shiftKey = false }: Partial<KeyboardEvent> = {}): void {
    const click = { bubbles: true, cancelable: true, composed: true, view: window, ctrlKey, metaKey, shiftKey };
    this.option?.dispatchEvent(new MouseEvent("click", click));
  }

  #activate(at: number, scrolls: boolean): void {
    this.option?.setAttribute("aria-selected", "false");
    this.active = at;
    const option = this.option;
    if (!option) return this.input.removeAttribute("aria-activedescendant");
    option.setAttribute("aria-selected", "true");
    this.input.setAttribute("aria-activedescendant", option.id);
    if (scrolls) option.scrollIntoView({ block: "nearest" });
    // The first option is shown with the heading above it.
    if (scrolls && at === 0) this.list.scrollTop = 0;
  }
}
