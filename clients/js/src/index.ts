export { createSearchClient, type SearchClient, type SearchClientOptions } from "./client.js";
export { type OwnCode, SearchError } from "./errors.js";
export { type Match, matchOf, rememberMatch } from "./match/pending.js";
export { clearMatch, followMatch, showMatch } from "./match/show.js";
export { buildResultUrl, type ResultUrlOptions } from "./result-url.js";
export { completions } from "./suggest/completions.js";
export { didYouMean } from "./suggest/meant.js";
export { markedParts, markedWords, type Part } from "./text.js";
export type * from "./types.js";
