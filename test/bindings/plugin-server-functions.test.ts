import express from "express";
import { H3 } from "h3";
import { createApp, defineEventHandler, toNodeListener } from "h3-v1";
import { afterEach, describe, expect, it } from "vitest";
import { createAuth as createAstroAuth } from "../../presets/astro.ts";
import { createAuth as createExpressAuth } from "../../presets/express.ts";
import { createAuth as createFastifyAuth } from "../../presets/fastify.ts";
import { createAuth as createH3Auth } from "../../presets/h3.ts";
import { createAuth as createNodeAuth } from "../../presets/node.ts";
import { MissingRequest } from "../../src/errors.ts";
import type { AnyRequestSource, Plugin } from "../../src/kernel.ts";
import { ORIGIN } from "../_app.ts";
import { createAstroContext } from "./_faces.ts";
import { serveFastify } from "./_fastify.ts";
import { createKitEvent, createKitSite } from "./_kit.ts";
import { listen, type Served } from "./_serve.ts";
import { buildConfig } from "./_suite.ts";

interface EchoAuth {
  /** Resolves to a word from the call's request, and sets it as a cookie. */
  echo(call: AnyRequestSource): Promise<string | null>;
}

const echo: Plugin<EchoAuth> = {
  name: "echo",
  setup() {},
  extend: (run) => ({
    echo: (call) =>
      run(call, async (ctx) => {
        const word = ctx.request.headers.get("x-word");
        ctx.cookies.set("word", word ?? "", { path: "/" });
        return word;
      }),
  }),
};

/** The returned word, and the cookies of the response to the call. */
interface Echoed {
  readonly word: unknown;
  readonly cookies: readonly string[];
}

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const headers = { "x-word": "hello" };

async function ask(site: Served): Promise<Echoed> {
  server = site;
  const response = await fetch(`${site.origin}/echo`, { headers });
  return { word: await response.text(), cookies: response.headers.getSetCookie() };
}

/** Calls the function with what each framework passes to handlers. */
const CALLS: Record<string, () => Promise<Echoed>> = {
  "a request of node:http": () => {
    const auth = createNodeAuth(buildConfig()).use(echo);
    return listen((req, res) => {
      void auth.echo(auth.toRequestSource(req, res)).then((word) => res.end(word));
    }).then(ask);
  },
  "a request of Express": () => {
    const auth = createExpressAuth(buildConfig()).use(echo);
    const app = express();
    app.get("/echo", async (req, res) => void res.send(await auth.echo(req)));
    return listen(app).then(ask);
  },
  "a request of Fastify": () => {
    const auth = createFastifyAuth(buildConfig()).use(echo);
    return serveFastify(auth.plugin, async (app) => {
      app.get("/echo", async (request) => auth.echo(request));
    }).then(ask);
  },
  "an event of h3 1": () => {
    const auth = createH3Auth(buildConfig()).use(echo);
    const app = createApp().use(defineEventHandler((event) => auth.echo(event)));
    return listen(toNodeListener(app)).then(ask);
  },
  "an event of h3 2": async () => {
    const auth = createH3Auth(buildConfig()).use(echo);
    const app = new H3().get("/echo", (event) => auth.echo(event));
    const response = await app.fetch(new Request(`${ORIGIN}/echo`, { headers }));
    return { word: await response.text(), cookies: response.headers.getSetCookie() };
  },
  "a context of Astro": async () => {
    const auth = createAstroAuth(buildConfig()).use(echo);
    const context = createAstroContext(new Request(ORIGIN, { headers }));
    const word = await auth.echo(context);
    return { word, cookies: [...context.set].map((pair) => pair.join("=")) };
  },
  "an event of SvelteKit": async () => {
    const auth = createKitSite().auth.use(echo);
    const event = createKitEvent("/", { headers });
    const word = await auth.echo(event);
    return { word, cookies: [...event.set].map((pair) => pair.join("=")) };
  },
};

describe("server functions that a plugin adds", () => {
  it.each(Object.entries(CALLS))(
    "a server function of a plugin accepts %s, whose response gets its cookies",
    async (_, call) => {
      const { word, cookies } = await call();
      expect(word).toBe("hello");
      expect(cookies.map((line) => line.split(";", 1)[0])).toEqual(["word=hello"]);
    },
  );

  it.each([
    ["node:http", createNodeAuth],
    ["Express", createExpressAuth],
    ["Fastify", createFastifyAuth],
    ["h3", createH3Auth],
    ["Astro", createAstroAuth],
    ["SvelteKit", () => createKitSite().auth],
  ])(
    "a server function of a plugin accepts a Request under the binding for %s, and refuses anything else",
    async (_, create) => {
      const auth = create(buildConfig()).use(echo);
      expect(await auth.echo(new Request(ORIGIN, { headers }))).toBe("hello");
      for (const given of [undefined, null, {}, "/", 1]) {
        await expect(auth.echo(given as never)).rejects.toBeInstanceOf(MissingRequest);
      }
    },
  );
});
