import express from "express";
import { H3 } from "h3";
import { createApp, defineEventHandler, toNodeListener } from "h3-v1";
import { afterEach, describe, expect, it } from "vitest";
import { createAuth as createAstroAuth } from "../../presets/astro.ts";
import { createAuth as createExpressAuth } from "../../presets/express.ts";
import { createAuth as createFastifyAuth } from "../../presets/fastify.ts";
import { createAuth as createH3Auth } from "../../presets/h3.ts";
import { createAuth as createNodeAuth } from "../../presets/node.ts";
import { createAuth } from "../../presets/standard.ts";
import type { Auth, ServerFunctionName } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing.ts";
import { LOVELACE, ORIGIN } from "../_app.ts";
import { createAstroContext } from "./_faces.ts";
import { serveFastify } from "./_fastify.ts";
import { createKitEvent, createKitSite } from "./_kit.ts";
import { listen, type Served } from "./_serve.ts";
import { buildConfig } from "./_suite.ts";

/** Session tokens record when the user signed in. */
const DATED = { session: { absoluteMaxAge: 3600 } };
const ADA = { user: { name: "Ada" } };
const OUT = { redirect: false, redirectTo: "/bye" };

/** The arguments after the request, and what each server function resolves to for Ada's browser. */
const FUNCTIONS: Readonly<Record<ServerFunctionName, { rest?: unknown[]; result: unknown }>> = {
  authorize: { result: undefined },
  csrfToken: { result: expect.any(String) },
  getSession: { result: ADA },
  holdSession: { result: { session: ADA } },
  protect: { result: undefined },
  requireFreshSession: { result: ADA },
  requireSession: { result: ADA },
  signIn: { rest: [undefined, OUT], result: expect.stringContaining("/auth/signin?callbackUrl=") },
  signOut: { rest: [OUT], result: expect.stringMatching(/\/bye$/) },
  unstable_update: { rest: [{ name: "Ada" }], result: ADA },
  update: { rest: [{ name: "Ada" }], result: ADA },
  verifyCsrfToken: { rest: ["the token"], result: undefined },
};

type Call = (source: unknown) => Promise<unknown>;

/** What a framework passes to handlers, with the Auth of its binding. */
interface Framework {
  readonly auth: Auth;
  /** Passes the request of a page to code of the application, as the framework does. */
  visit(call: Call, headers: Record<string, string>): Promise<unknown>;
}

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const get = async (site: Served, headers: Record<string, string>) => {
  server = site;
  await (await fetch(`${site.origin}/page`, { headers })).text();
};

const FRAMEWORKS: Readonly<Record<string, () => Framework>> = {
  "any fetch server": () => ({
    auth: createAuth(buildConfig(DATED)),
    visit: (call, headers) => call(new Request(`${ORIGIN}/page`, { headers })),
  }),
  "node:http": () => {
    const auth = createNodeAuth(buildConfig(DATED));
    return {
      auth,
      visit: async (call, headers) =>
        get(
          await listen((req, res) => {
            void call(auth.toRequestSource(req, res)).then(() => res.end());
          }),
          headers,
        ),
    };
  },
  Express: () => {
    const auth = createExpressAuth(buildConfig(DATED));
    return {
      auth,
      visit: async (call, headers) =>
        get(
          await listen(express().use((req, res) => void call(req).then(() => res.end()))),
          headers,
        ),
    };
  },
  Fastify: () => {
    const auth = createFastifyAuth(buildConfig(DATED));
    return {
      auth,
      visit: async (call, headers) =>
        get(
          await serveFastify(auth.plugin, async (app) => {
            app.get("/page", async (request) => call(request).then(() => "done"));
          }),
          headers,
        ),
    };
  },
  "h3 1": () => {
    const auth = createH3Auth(buildConfig(DATED));
    return {
      auth,
      visit: async (call, headers) =>
        get(
          await listen(
            toNodeListener(
              createApp().use(defineEventHandler((event) => call(event).then(() => "done"))),
            ),
          ),
          headers,
        ),
    };
  },
  "h3 2": () => {
    const auth = createH3Auth(buildConfig(DATED));
    return {
      auth,
      visit: async (call, headers) =>
        new H3()
          .get("/page", (event) => call(event).then(() => "done"))
          .fetch(new Request(`${ORIGIN}/page`, { headers })),
    };
  },
  Astro: () => ({
    auth: createAstroAuth(buildConfig(DATED)),
    visit: (call, headers) => call(createAstroContext(new Request(`${ORIGIN}/page`, { headers }))),
  }),
  SvelteKit: () => ({
    auth: createKitSite(DATED).auth as unknown as Auth,
    visit: (call, headers) => call(createKitEvent("/page", { headers })),
  }),
};

describe.each(Object.entries(FRAMEWORKS))("the binding for %s", (name, open) => {
  it.each(Object.entries(FUNCTIONS))(
    `auth.%s of the binding for ${name} takes what the framework passes to handlers`,
    async (member, { rest = [], result }) => {
      const { auth, visit } = open();
      const browser = createBrowser(auth.fetch, { origin: ORIGIN });
      await browser.signInWith("credentials", LOVELACE);
      const token = await browser.csrfToken();
      const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
      const given = rest.map((one) => (one === "the token" ? token : one));
      const fn = auth[member as ServerFunctionName] as (...args: unknown[]) => Promise<unknown>;
      let outcome: PromiseSettledResult<unknown> | undefined;
      await visit(
        async (source) => {
          [outcome] = await Promise.allSettled([fn(source, ...given)]);
        },
        { cookie, accept: "text/html" },
      );
      expect(outcome).toMatchObject({ status: "fulfilled" });
      const { value } = outcome as PromiseFulfilledResult<unknown>;
      const isKitAction = name === "SvelteKit" && member.startsWith("sign");
      const expected = isKitAction ? { url: result } : result;
      if (typeof expected === "object") expect(value).toMatchObject(expected as object);
      else expect(value).toBe(expected);
    },
  );
});
