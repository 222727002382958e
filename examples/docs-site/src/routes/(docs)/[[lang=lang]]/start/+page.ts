import type { EntryGenerator, PageLoad } from './$types';

const languages = {
	en: () => import('../../../../content/start/en.md'),
	de: () => import('../../../../content/start/de.md')
};

export const entries: EntryGenerator = () => [{ lang: '' }, { lang: 'de' }];

export const load: PageLoad = async ({ params }) => {
	const module = await languages[params.lang === 'de' ? 'de' : 'en']();
	return { content: module.default };
};
