/** The parts of a visitor's request that are forwarded. */
export interface Visit {
    readonly request: Request;
    readonly url: URL;
    readonly platform?: unknown;
    getClientAddress(): string;
}
/** Address and options of the service. */
export interface Upstream {
    readonly url: URL;
    readonly path: string;
    readonly key: string;
    readonly timeoutMs: number;
    readonly maxBodyBytes: number;
    /** True if an answer has no time limit after its first byte, as with MCP. */
    readonly isStream: boolean;
    onError(message: string): void;
}
/** Return the service's answer, or an error in the service's form after the timeout. */
export declare function forward(event: Visit, to: Upstream): Promise<Response>;
