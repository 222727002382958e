import type { ParamMatcher } from '@sveltejs/kit';

/** One page a command, named like its man page. */
export const match: ParamMatcher = (param) =>
	/^searchsocket-(init|index|search|status|doctor|clean|cache|artifacts|rollback|serve|config|dagster|completion)$/.test(param);
