import { getSession } from "../auth-middleware.server.js";

export const loader = async (args) =>
  Response.json([await getSession(args), await getSession(args)]);
