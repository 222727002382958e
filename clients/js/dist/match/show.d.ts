import { type Match } from "./pending.js";
/**
 * Scroll to the passage of a match and mark it, without a change to the page's own elements.
 *
 * @param anyWord Whether single words of the query will do, where the passage is not on the page.
 * @returns Whether it was found.
 */
export declare function showMatch(match: Match, anyWord?: boolean): boolean;
/** Take the mark away. */
export declare function clearMatch(): void;
/**
 * Show the match that the tab's last search left, as soon as its page is there: at once after a full load, and when the router of a
 * site without full loads is done; and again if a framework replaces the marked elements. Call it once on each page, and again after
 * a result was opened; the components do.
 */
export declare function followMatch(): void;
