/** The body is larger than the limit. */
export class TooLarge extends Error {}

/**
 * Read a request's body up to the limit; its `Content-Length` is not trusted.
 *
 * @throws TooLarge
 */
export async function limitedBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.method === "GET" || request.method === "HEAD" || !request.body) return undefined;
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw new TooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      reader.releaseLock(); // cancelled, SvelteKit would end the connection before the visitor reads why
      throw new TooLarge();
    }
    chunks.push(value);
  }
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}
