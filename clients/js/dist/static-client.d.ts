import type { SearchAnswer, SearchRequest } from "./types.js";
/** Answers requests; without a request it loads what every request needs. */
export type Answers = (request: SearchRequest | null) => Promise<SearchAnswer>;
/** Answers from the files that `searchsocket export` wrote to a folder of this origin; a worker reads them. */
export declare function staticAnswers(folder: string | URL): Answers;
