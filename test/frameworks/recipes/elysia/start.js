import { node } from "@elysiajs/node";
import { app } from "./app.js";

app({ adapter: node() })
  .get("/api/twice", async ({ getSession }) => [await getSession(), await getSession()])
  .listen({ port: Number(process.env.PORT), hostname: process.env.HOST });
