import { error } from '@sveltejs/kit';
import { page, slugs } from '$lib/content/indexing';
import type { EntryGenerator, PageLoad } from './$types';

export const entries: EntryGenerator = () => slugs.map((slug) => ({ rest: slug }));

export const load: PageLoad = async ({ params }) => {
	const content = await page(params.rest);
	if (!content) error(404, `No page ${params.rest}`);
	return { content };
};
