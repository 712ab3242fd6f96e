import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { app } from "./app.js";
import { forPages, pages } from "./pages.js";

// The application's own error handler only applies to its own routes here.
const server = new Hono().onError((error, c) => c.json({ error: error.type }, error.status));
const { fetch } = server.use(forPages).route("/", app).route("/", pages);
serve({ fetch, port: Number(process.env.PORT), hostname: process.env.HOST });
