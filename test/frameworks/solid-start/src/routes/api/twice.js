export const GET = async ({ locals }) =>
  Response.json([await locals.getSession(), await locals.getSession()]);
