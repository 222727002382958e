/** The used part of a Node server's request, if the adapter provides one. */
interface NodeRequest {
  readonly socket?: { once?(event: "close", listener: () => void): unknown; off?(event: "close", listener: () => void): unknown };
}

/**
 * Call `leave` once when the visitor disconnects; returns a function that stops listening.
 *
 * The request's signal aborts then, except in SvelteKit 2 on Node after the body was read. There, its connection closes,
 * which adapter-node provides as `platform.req`.
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
