import type { Actions, PageServerLoad } from "./$types";

// Without it, the browser shows the page, whose code it has, and sends no request to the server.
export const load: PageServerLoad = async ({ locals }) => ({ session: await locals.auth() });

export const actions: Actions = { default: () => ({ done: true }) };
