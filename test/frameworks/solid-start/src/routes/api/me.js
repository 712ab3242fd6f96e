export async function GET({ locals }) {
  const session = await locals.getSession();
  if (session) return Response.json(session.user);
  return Response.json({ error: "SessionRequired" }, { status: 401 });
}
