/** A visitor's request, as far as it is forwarded. */
export interface Visit {
    readonly request: Request;
    readonly url: URL;
    readonly platform?: unknown;
    getClientAddress(): string;
}
/** The service, and how it is asked. */
export interface Upstream {
    readonly url: URL;
    readonly path: string;
    readonly key: string;
    readonly timeoutMs: number;
    readonly maxBodyBytes: number;
    /** Whether an answer may go on for ever once it has begun, as those of MCP may. */
    readonly isStream: boolean;
    onError(message: string): void;
}
/** The service's answer to a visitor's request; an error in the service's form where there is none in time. */
export declare function forward(event: Visit, to: Upstream): Promise<Response>;
