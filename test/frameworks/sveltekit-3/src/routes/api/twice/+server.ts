import { json } from "@sveltejs/kit";
import { auth } from "../../../auth";
import type { RequestHandler } from "./$types";

export const GET: RequestHandler = async (event) =>
  json([await event.locals.auth(), await auth.requireSession(event), await auth.getSession(event)]);
