/**
 * Calls `leave` once when the visitor goes; what is returned ends that.
 *
 * The signal of a request says so, but that of SvelteKit 2 on Node not any more once the body has been read. Its connection does,
 * which adapter-node hands on as `platform.req`.
 */
export declare function whenVisitorLeaves(signal: AbortSignal, platform: unknown, leave: () => void): () => void;
