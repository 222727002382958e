import type { Words } from "../labels/words.js";
/** Recent searches as options; Delete or the cross removes one. */
export declare function recentOptions(queries: readonly string[], { labels }: Words): HTMLElement[];
