import type { APIRoute } from "astro";
import { auth } from "../../auth";

export const GET: APIRoute = async (context) =>
  Response.json([await context.locals.auth(), await auth.requireSession(context)]);
