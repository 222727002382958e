export { createSearchClient, type SearchClient, type SearchClientOptions } from "./client.js";
export { type OwnCode, SearchError } from "./errors.js";
export { buildResultUrl, type ResultUrlOptions } from "./result-url.js";
export type * from "./types.js";
