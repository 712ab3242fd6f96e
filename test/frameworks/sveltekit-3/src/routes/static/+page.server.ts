import type { PageServerLoad } from "./$types";

export const prerender = true;

export const load: PageServerLoad = async ({ locals }) => ({
  name: (await locals.auth())?.user?.name ?? "nobody",
});
