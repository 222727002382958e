import { error } from '@sveltejs/kit';
import { page, slugs } from '$lib/content/recipes';
import type { EntryGenerator, PageLoad } from './$types';

export const entries: EntryGenerator = () => slugs.map((slug) => ({ slug: slug }));

export const load: PageLoad = async ({ params }) => {
	const content = await page(params.slug);
	if (!content) error(404, `No page ${params.slug}`);
	return { content };
};
