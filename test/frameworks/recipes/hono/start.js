import { serve } from "@hono/node-server";
import { app } from "./app.js";

app.get("/api/twice", async (c) => {
  const getSession = c.get("getSession");
  return c.json([await getSession(), await getSession()]);
});
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: process.env.HOST });
