import { H3, serve } from "h3";
import { createAuth } from "../../presets/h3.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import { ORIGIN } from "../_app.ts";
import { toAppBody, type Site, testBinding } from "./_suite.ts";

function withApp(app: H3): H3 {
  return app.all("/**", async ({ req }) => toAppBody(req.method, await req.text()));
}

const plugin = (config: AuthConfig) => withApp(new H3().register(createAuth(config).plugin));
const handler = (config: AuthConfig) =>
  withApp(new H3().all("/auth/**", createAuth(config).handler));

async function overWire(app: H3): Promise<Site> {
  const server = serve(app, { port: 0, hostname: "127.0.0.1", silent: true });
  await server.ready();
  return {
    origin: (server.url as string).replace(/\/$/, ""),
    fetch: (request) => fetch(request),
    close: () => server.close(true),
  };
}

const middleware = (config: AuthConfig) => withApp(new H3().use(createAuth(config).middleware));

const inMemory = (app: H3): Site => ({
  origin: ORIGIN,
  fetch: async (request) => app.fetch(request),
});

testBinding("the h3 plugin", (config) => inMemory(plugin(config)));
testBinding("the h3 middleware", (config) => inMemory(middleware(config)));
testBinding("the h3 handler", (config) => inMemory(handler(config)));
testBinding("the h3 plugin, served", (config) => overWire(plugin(config)));
testBinding("the h3 handler, served", (config) => overWire(handler(config)));
