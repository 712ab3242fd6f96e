import { getSession } from "../auth-middleware.server.js";

export async function loader(args) {
  const session = await getSession(args);
  if (session) return Response.json(session.user);
  return Response.json({ error: "SessionRequired" }, { status: 401 });
}
