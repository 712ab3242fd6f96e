import { H3 } from "h3";
import { createApp, defineEventHandler, toWebHandler } from "h3-v1";
import type { AstroContext } from "../../plugins/bindings/astro.ts";
import { createAuth as createAstroAuth } from "../../presets/astro.ts";
import { createAuth as createH3Auth } from "../../presets/h3.ts";
import { createAuth as createNextAuth } from "../../presets/next.ts";
import { createNitroHandler } from "../../presets/nitro.ts";
import { createAuth } from "../../presets/standard.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import { createKitSite } from "./_kit.ts";
import { NextRequest } from "./_next.ts";

/** What responds to a request in this process. */
export type Fetch = (request: Request) => Promise<Response>;

/** The application behind the routes: it says that it was reached, and how much of the body it was left. */
export const APP = "the application";

async function respond(request: Request): Promise<Response> {
  if (!request.body || request.bodyUsed) return new Response(APP);
  return new Response(`${APP}: ${await request.text()}`);
}

/** Creates the context of Astro for a request. */
export function createAstroContext(
  request: Request,
  over: Partial<AstroContext> = {},
): AstroContext & { readonly set: Map<string, string>; readonly attributes: Map<string, object> } {
  const set = new Map<string, string>();
  const attributes = new Map<string, object>();
  return {
    request,
    url: new URL(request.url),
    locals: {},
    set,
    attributes,
    cookies: {
      set(name, value, given) {
        set.set(name, value);
        attributes.set(name, given);
      },
    },
    isPrerendered: false,
    clientAddress: "203.0.113.7",
    ...over,
  };
}

// Next.js calls the handler of the method, and responds with 405 to others.
function mountNext(config: AuthConfig): Fetch {
  const { handlers } = createNextAuth(config as never);
  return async (request) => {
    if (!new URL(request.url).pathname.startsWith("/auth/")) return respond(request);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const handler = handlers[method as keyof typeof handlers];
    if (!handler) return new Response(null, { status: 405 });
    return handler(request.bodyUsed ? (request as never) : (new NextRequest(request) as never));
  };
}

/** The bindings that take a Request of the runtime, each with an application behind its routes. */
export const FACES: Readonly<Record<string, (config: AuthConfig) => Fetch>> = {
  "auth.handle": (config) => {
    const auth = createAuth(config);
    return async (request) => (await auth.handle(request)) ?? respond(request);
  },
  "keyhook/next": mountNext,
  "keyhook/sveltekit": (config) => {
    const { auth } = createKitSite(config, { basePath: "/auth" });
    return async (request) => {
      const event = {
        request,
        url: new URL(request.url),
        locals: {},
        cookies: { set() {} },
        getClientAddress: () => "203.0.113.7",
      };
      return auth.handle({ event, resolve: async () => respond(request) });
    };
  },
  "keyhook/astro": (config) => {
    const { onRequest } = createAstroAuth(config);
    return (request) => onRequest(createAstroContext(request), () => respond(request));
  },
  "the plugin of keyhook/h3": (config) => {
    const app = new H3()
      .register(createH3Auth(config).plugin)
      .all("/**", ({ req }) => respond(req));
    return async (request) => app.fetch(request);
  },
  "the middleware of keyhook/h3 under h3 1": (config) =>
    toWebHandler(
      createApp()
        .use(createH3Auth(config).middleware)
        .use(defineEventHandler(() => APP)),
    ),
  "the middleware of keyhook/nitro": (config) => {
    const app = new H3()
      .use(createNitroHandler(createH3Auth(config)))
      .all("/**", ({ req }) => respond(req));
    return async (request) => app.fetch(request);
  },
};
