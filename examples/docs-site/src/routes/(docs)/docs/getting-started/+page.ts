import { redirect } from '@sveltejs/kit';

// The old address of the quick start; prerendered as a redirect stub.
export const load = () => redirect(308, '/start');
