import type { Labels } from "../labels/labels.js";
import { SearchElement } from "./element.js";
/** A button that opens the search dialog; children of the element replace the button. */
export declare class SearchDialog extends SearchElement {
    #private;
    protected build(root: ShadowRoot): void;
    protected relabel(labels: Labels): void;
    /** Fit the height to the content: grow at once, shrink after a pause (`.settling`), so it does not jump during typing. */
    protected fit(): void;
    get isOpen(): boolean;
    open(): void;
    close(): void;
}
