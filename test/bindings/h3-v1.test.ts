import { createServer } from "node:http";
import {
  createApp,
  defineEventHandler,
  type EventHandler,
  readRawBody,
  toNodeListener,
  toWebHandler,
} from "h3-v1";
import { createAuth } from "../../presets/h3.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import { ORIGIN } from "../_app.ts";
import { served } from "./_serve.ts";
import { type Site, testBinding, toAppBody } from "./_suite.ts";

const rest = defineEventHandler(async (event) => {
  const body = /^(GET|HEAD|OPTIONS)$/.test(event.method) ? "" : await readRawBody(event);
  return toAppBody(event.method, body ?? "");
});

const buildApp = (handler: EventHandler) => createApp().use(handler).use(rest);
const middleware = (config: AuthConfig) => buildApp(createAuth(config).middleware);

const inMemory = (handler: EventHandler): Site => {
  const fetch = toWebHandler(buildApp(handler));
  return { origin: ORIGIN, fetch: (request) => fetch(request) };
};

testBinding("the h3 middleware on h3 1", (config) => inMemory(createAuth(config).middleware));
testBinding("the h3 middleware on h3 1, served", (config) =>
  served(createServer(toNodeListener(middleware(config)))),
);
