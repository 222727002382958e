import type { Part } from "../text.js";
type Properties = Readonly<Record<string, string | number | boolean | null | undefined>>;
/** Create an element; attributes that are false, null or undefined are omitted. Children are text or nodes, never HTML. */
export declare function h<K extends keyof HTMLElementTagNameMap>(name: K, attributes?: Properties, ...children: readonly (Node | string)[]): HTMLElementTagNameMap[K];
/** An icon of strokes in a square of 24. */
export declare function icon(path: string): SVGSVGElement;
export declare const ICONS: {
    readonly search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13m4.8 11.3L20.5 20.5";
    readonly page: "M7 3.5h7l4 4v13H7zM14 3.5v4h4M10 12h5M10 16h5";
    readonly section: "M9.5 4 7.5 20M16.5 4l-2 16M4.5 9h16M3.5 15h16";
    readonly clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16m0 3.5V12l3 2";
    readonly cross: "M6 6l12 12M18 6 6 18";
    readonly star: "M12 4.2l2.3 4.9 5.2.7-3.8 3.7.9 5.3-4.6-2.5-4.6 2.5.9-5.3-3.8-3.7 5.2-.7z";
};
/** Nodes of a text, with matches in `<mark>`. */
export declare function marked(parts: readonly Part[]): (Node | string)[];
export {};
