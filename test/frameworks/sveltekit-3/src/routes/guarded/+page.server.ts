import type { Actions, PageServerLoad } from "./$types";

// Without it the browser shows the page, of which it knows the code, and asks the server for nothing.
export const load: PageServerLoad = async ({ locals }) => ({ session: await locals.auth() });

export const actions: Actions = { default: () => ({ done: true }) };
