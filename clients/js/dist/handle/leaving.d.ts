/**
 * Call `leave` once when the visitor disconnects; returns a function that stops listening.
 *
 * The request's signal aborts then, except in SvelteKit 2 on Node after the body was read. There, its connection closes,
 * which adapter-node provides as `platform.req`.
 */
export declare function whenVisitorLeaves(signal: AbortSignal, platform: unknown, leave: () => void): () => void;
