import { error } from '@sveltejs/kit';
import { page, slugs } from '$lib/content/cli';
import type { EntryGenerator, PageLoad } from './$types';

export const entries: EntryGenerator = () => slugs.map((slug) => ({ command: slug }));

export const load: PageLoad = async ({ params }) => {
	const content = await page(params.command);
	if (!content) error(404, `No page ${params.command}`);
	return { content };
};
