import type { ActionLabels } from "./labels/labels.js";
export type { ActionLabels };
declare const Base: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/**
 * Attributes: `markdown` (address of the page's Markdown; default: what the page's head names, else its address with
 * `.md`), `assistants` (names, separated by spaces; `none` for none). Parts: `copy`, `view`, `assistant`.
 */
export declare class PageActions extends Base {
    #private;
    static readonly observedAttributes: string[];
    /** Texts that replace the shipped ones. */
    get labels(): Partial<ActionLabels>;
    set labels(labels: Partial<ActionLabels>);
    connectedCallback(): void;
    disconnectedCallback(): void;
    attributeChangedCallback(): void;
    /** Return the address of the Markdown of the page that is shown now. */
    get source(): string;
    /** Copy the page's Markdown to the clipboard; false if that failed. */
    copy(): Promise<boolean>;
}
declare global {
    interface HTMLElementTagNameMap {
        "searchsocket-page-actions": PageActions;
    }
}
