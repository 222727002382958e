import type { Labels } from "../labels/labels.js";
import { SearchElement } from "./element.js";
/** A button that opens the search above the page; what stands inside of the element takes the button's place. */
export declare class SearchDialog extends SearchElement {
    #private;
    protected build(root: ShadowRoot): void;
    protected relabel(labels: Labels): void;
    /** As high as its content: more at once, less after a pause (`.settling`), so that it does not jump while one types. */
    protected fit(): void;
    get isOpen(): boolean;
    open(): void;
    close(): void;
}
