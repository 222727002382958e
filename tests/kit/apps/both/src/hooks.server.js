/** @type {import('@sveltejs/kit').Handle} */
export const handle = async ({ event, resolve }) => {
	const response = await resolve(event);
	response.headers.set('x-site', 'its own hook');
	return response;
};
