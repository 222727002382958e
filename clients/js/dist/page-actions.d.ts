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
    /** Texts in place of the shipped ones. */
    get labels(): Partial<ActionLabels>;
    set labels(labels: Partial<ActionLabels>);
    connectedCallback(): void;
    disconnectedCallback(): void;
    attributeChangedCallback(): void;
    /** The address of the page's Markdown, whatever page a client-side router shows by now. */
    get source(): string;
    /** Put the page's Markdown into the clipboard; false where that was not possible. */
    copy(): Promise<boolean>;
}
declare global {
    interface HTMLElementTagNameMap {
        "searchsocket-page-actions": PageActions;
    }
}
