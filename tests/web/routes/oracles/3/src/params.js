import { defineParams } from '@sveltejs/kit/params';

export const params = defineParams({
	'language-code': (value) => (/^[a-z]{2}(-[a-z]{2})?$/.test(value) ? value : undefined),
	'whole-number': (value) => (/^\d+$/.test(value) ? Number(value) : undefined)
});
