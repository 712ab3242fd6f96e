import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { app } from "./app.js";
import { pages } from "./pages.js";

// As in the application, whose own is of its routes here.
const server = new Hono().onError((error, c) => c.json({ error: error.type }, error.status));
const { fetch } = server.route("/", pages).route("/", app);
serve({ fetch, port: Number(process.env.PORT), hostname: process.env.HOST });
