/** An error in the form that the service has: `{"error": {"code", "message"}}`. */
export declare function problem(status: number, code: string, message: string, headers?: Record<string, string>): Response;
