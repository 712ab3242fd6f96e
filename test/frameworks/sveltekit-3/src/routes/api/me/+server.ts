import { json } from "@sveltejs/kit";
import { auth } from "../../../auth";
import type { RequestHandler } from "./$types";

export const GET: RequestHandler = async (event) => json((await auth.requireSession(event)).user);
