import type { SearchAnswer, SearchRequest } from "./types.js";
/** Answers requests; without a request it loads what every request needs. */
export type Answers = (request: SearchRequest | null) => Promise<SearchAnswer>;
/**
 * Answers from the files that `searchsocket export` wrote to a folder of this origin; a worker reads them.
 *
 * @param isElsewhere The site is on another host, at the base path that it was built for. Default: an export that is
 * part of its site links to the pages around it, whatever path they are served at.
 */
export declare function staticAnswers(folder: string | URL, isElsewhere?: boolean): Answers;
