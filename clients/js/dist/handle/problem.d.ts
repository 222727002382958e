/** An error in the service's form: `{"error": {"code", "message"}}`. */
export declare function problem(status: number, code: string, message: string, headers?: Record<string, string>): Response;
