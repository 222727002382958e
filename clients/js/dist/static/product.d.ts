import type { Index } from "./index.js";
/** The indexed spellings of a version; without any, those of the version before it. */
export declare function sameVersions(index: Index, text: string): Promise<string[]>;
/** The text without the names of the product; unchanged if it is a name, or begins one. A number behind them is a version. */
export declare function withoutProduct(index: Index, text: string): Promise<string>;
/** Whether the only heading of a section has these words and no other. */
export declare function isHeading(index: Index, pieces: readonly string[]): boolean;
