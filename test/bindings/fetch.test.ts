import { createAuth } from "../../presets/standard.ts";
import { ORIGIN } from "../_app.ts";
import { toAppBody, plainSite, testBinding } from "./_suite.ts";

testBinding("`auth.handle`", plainSite);

testBinding("`auth.fetch`, behind a router", (config) => {
  const { fetch } = createAuth(config);
  return {
    origin: ORIGIN,
    fetch: async (request) =>
      new URL(request.url).pathname.startsWith("/auth/")
        ? fetch(request)
        : new Response(toAppBody(request.method, await request.text())),
  };
});

testBinding("`auth.handlers` of a file router", (config) => {
  const { handlers, fetch } = createAuth(config);
  return {
    origin: ORIGIN,
    fetch: async (request) => {
      if (!new URL(request.url).pathname.startsWith("/auth/")) {
        return new Response(toAppBody(request.method, await request.text()));
      }
      if (request.method === "POST") return handlers.POST(request);
      return request.method === "GET" ? handlers.GET(request) : fetch(request);
    },
  };
});
