import type { ParamMatcher } from '@sveltejs/kit';

/** Languages other than English that have a translated page. */
export const match: ParamMatcher = (param) => param === 'de';
