/** The body was larger than allowed. */
export declare class TooLarge extends Error {
}
/**
 * A request's body, read no further than the limit: what it says of its length is not trusted.
 *
 * @throws TooLarge
 */
export declare function limitedBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
