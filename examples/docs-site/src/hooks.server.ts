import type { Handle } from '@sveltejs/kit';

/** Write the page's language into `<html lang>`. */
export const handle: Handle = ({ event, resolve }) =>
	resolve(event, {
		transformPageChunk: ({ html }) => html.replace('%lang%', event.params.lang ?? 'en')
	});
