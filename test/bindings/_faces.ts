import { H3 } from "h3";
import { createApp, defineEventHandler, toWebHandler, toWebRequest } from "h3-v1";
import { type AstroContext, astroBinding } from "../../plugins/bindings/astro.ts";
import { h3Binding } from "../../plugins/bindings/h3.ts";
import { extendForNext } from "../../plugins/bindings/next.ts";
import { extendForKit } from "../../plugins/bindings/sveltekit.ts";
import { createVisits } from "../../plugins/bindings/sveltekit/visit.ts";
import { createNitroHandler } from "../../presets/nitro.ts";
import type { Auth } from "../../src/kernel.ts";
import { runtime } from "./_kit.ts";

/** Responds to a request, in this process. */
export type Fetch = (request: Request) => Promise<Response>;

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

// Next.js calls the handler of the method, and responds to other methods itself.
function mountNext(auth: Auth, respond: Fetch): Fetch {
  const { handlers } = extendForNext(auth);
  return async (request) => {
    if (!new URL(request.url).pathname.startsWith("/auth/")) return respond(request);
    const method = request.method === "HEAD" ? "GET" : request.method;
    const handler = handlers[method as keyof typeof handlers];
    return handler ? handler(request as never) : respond(request);
  };
}

/** Mounts each binding that accepts a Request of the runtime. `respond` is the application behind its routes. */
export const FACES: Readonly<Record<string, (auth: Auth, respond: Fetch) => Fetch>> = {
  "auth.handle": (auth, respond) => async (request) =>
    (await auth.handle(request)) ?? respond(request),
  "keyhook/next": mountNext,
  "keyhook/sveltekit": (auth, respond) => {
    const { handle } = extendForKit(auth, { open: createVisits(), enter: async () => runtime });
    return async (request) => {
      const event = {
        request,
        url: new URL(request.url),
        locals: {},
        cookies: { set() {} },
        getClientAddress() {
          throw new Error("The adapter does not know it.");
        },
      };
      return handle({ event, resolve: async () => respond(request) });
    };
  },
  "keyhook/astro": (auth, respond) => {
    const { onRequest } = astroBinding.extend(auth);
    const unknown = { clientAddress: undefined as never };
    return (request) => onRequest(createAstroContext(request, unknown), () => respond(request));
  },
  "keyhook/h3 under h3 1": (auth, respond) =>
    toWebHandler(
      createApp()
        .use(h3Binding.extend(auth).middleware)
        .use(defineEventHandler((event) => respond(toWebRequest(event)))),
    ),
  "keyhook/h3 under h3 2": (auth, respond) => {
    const app = new H3()
      .register(h3Binding.extend(auth).plugin)
      .all("/**", ({ req }) => respond(req));
    return async (request) => app.fetch(request);
  },
  "keyhook/nitro": (auth, respond) => {
    const app = new H3().use(createNitroHandler(auth)).all("/**", ({ req }) => respond(req));
    return async (request) => app.fetch(request);
  },
};
