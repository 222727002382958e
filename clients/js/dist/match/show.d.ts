import { type Match } from "./pending.js";
/**
 * Scroll to the passage of a match and mark it, without changing the page's elements.
 *
 * @param anyWord True: mark single words of the query if the passage is missing.
 * @returns True if the passage or a word was found.
 */
export declare function showMatch(match: Match, anyWord?: boolean): boolean;
/** Remove the mark. */
export declare function clearMatch(): void;
/**
 * Show the match of the tab's last search once its page is shown: at once after a full load, and when the router of a
 * site without full loads is done; and again if a framework replaces the marked elements. Call it once on each page, and again after
 * a result was opened; the components do.
 */
export declare function followMatch(): void;
