/** The body is larger than the limit. */
export declare class TooLarge extends Error {
}
/**
 * Read a request's body up to the limit; its `Content-Length` is not trusted.
 *
 * @throws TooLarge
 */
export declare function limitedBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
