import type { ParamMatcher } from '@sveltejs/kit';

/** One page a command, named like its man page. */
export const match: ParamMatcher = (param) =>
	/^searchsocket-[a-z]+$/.test(param);
