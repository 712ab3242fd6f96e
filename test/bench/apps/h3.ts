import { H3 } from "h3";

const app = new H3()
  .get("/auth/session", () => ({ user: { name: "Ada Lovelace" } }))
  .get("/auth/get-session", () => ({ user: { name: "Ada Lovelace" } }));

export default (request: Request): Response | Promise<Response> => app.fetch(request);
