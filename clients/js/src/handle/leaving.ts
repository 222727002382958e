/** What of a Node server's request is used, where an adapter hands it on. */
interface NodeRequest {
  readonly socket?: { once?(event: "close", listener: () => void): unknown; off?(event: "close", listener: () => void): unknown };
}

/**
 * Calls `leave` once when the visitor goes; what is returned ends that.
 *
 * The signal of a request says so, but that of SvelteKit 2 on Node not any more once the body has been read. Its connection does,
 * which adapter-node hands on as `platform.req`.
 */
export function whenVisitorLeaves(signal: AbortSignal, platform: unknown, leave: () => void): () => void {
  if (signal.aborted) leave();
  signal.addEventListener("abort", leave, { once: true });
  const socket = (platform as { req?: NodeRequest } | undefined)?.req?.socket;
  socket?.once?.("close", leave);
  return () => {
    signal.removeEventListener("abort", leave);
    socket?.off?.("close", leave);
  };
}
