import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { nodeBinding } from "../../presets/node.ts";
import { standardPreset } from "../../presets/standard.ts";
import {
  type AnyRequestSource,
  type Auth,
  type Binding,
  createAuthWith,
  definePlugin,
  definePreset,
  type RequestSource,
  type Session,
} from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing.ts";
import { LOVELACE, ORIGIN } from "../_app.ts";
import { listen, type Served } from "./_serve.ts";
import { buildConfig } from "./_suite.ts";

/** The value that a framework of another package passes to handlers. */
interface Context {
  readonly raw: Request;
}

declare module "../../src/types/request-source.ts" {
  interface FrameworkRequests {
    members: Context;
  }
}

interface Members {
  getSession(given: Context | RequestSource): Promise<Session | null>;
  toRequestSource(given: AnyRequestSource): RequestSource;
}

const isContext = (given: object): given is Context =>
  "raw" in given && given.raw instanceof Request;

const binding: Binding<Members> = {
  name: "other/members",
  extend(auth) {
    const toRequestSource = (given: AnyRequestSource): RequestSource =>
      isContext(given) ? given.raw : (given as RequestSource);
    return { toRequestSource, getSession: (given) => auth.getSession(toRequestSource(given)) };
  },
};

const preset = definePreset<Members>({
  name: "other/members",
  extends: [standardPreset],
  plugins: [],
  binding,
});

async function signIn(auth: Auth): Promise<Request> {
  const browser = createBrowser(auth.fetch, { origin: ORIGIN });
  await browser.signInWith("credentials", LOVELACE);
  return browser.request("/");
}

describe("a member of a binding with the name of a member of the Auth", () => {
  it.each<[string, () => Auth & Members]>([
    ["createAuthWith()", () => createAuthWith(preset, buildConfig())],
    ["auth.use()", () => createAuthWith(standardPreset, buildConfig()).use(preset)],
  ])("calls the member that it replaces: %s", async (_, create) => {
    const auth = create();
    const raw = await signIn(auth);
    expect(await auth.getSession({ raw })).toMatchObject({ user: { name: "Ada" } });
  });

  it("what a binding adds by `use` is added to the Auth", () => {
    const hello = definePlugin({
      name: "hello",
      setup() {},
      extend: () => ({ hello: () => "hi" }),
    });
    const adding = { ...binding, extend: (auth: Auth) => void auth.use(hello) as never };
    const auth = createAuthWith({ ...preset, binding: adding }, buildConfig());
    expect((auth as unknown as { hello(): string }).hello()).toBe("hi");
  });

  it("a function that a plugin adds accepts what the framework passes to handlers", async () => {
    const names = definePlugin<{ getName(call: AnyRequestSource): Promise<unknown> }>({
      name: "names",
      setup() {},
      extend: (run) => ({
        getName: (call) => run(call, async (ctx) => (await ctx.session())?.session.user?.name),
      }),
    });
    const auth = createAuthWith(preset, buildConfig()).use(names);
    expect(await auth.getName({ raw: await signIn(auth) })).toBe("Ada");
  });
});

describe("a binding on top of nodeBinding", () => {
  interface NodeContext {
    req: IncomingMessage;
    res: ServerResponse;
  }
  const overNode: Binding<{
    middleware(context: NodeContext, next: () => Promise<void>): Promise<void>;
    read(context: NodeContext): Promise<Session | null>;
  }> = {
    name: "other/over-node",
    extend(auth) {
      const node = nodeBinding.extend(auth);
      return {
        middleware: async ({ req, res }, next) => {
          if (!(await node.handle(req, res))) await next();
        },
        read: ({ req, res }) => node.getSession(req, res),
      };
    },
  };
  let server: Served | undefined;
  afterEach(() => server?.close());

  it("handles requests and reads sessions through nodeBinding", async () => {
    const given = { name: "other/over-node", extends: [standardPreset], plugins: [] };
    const auth = createAuthWith(definePreset({ ...given, binding: overNode }), buildConfig());
    server = await listen((req, res) => {
      const context = { req, res };
      void auth.middleware(context, async () => {
        res.end(JSON.stringify(await auth.read(context)));
      });
    });
    const browser = createBrowser(fetch, { origin: server.origin });
    await browser.signInWith("credentials", LOVELACE);
    expect(await (await browser.get("/page")).json()).toMatchObject({ user: { name: "Ada" } });
  });
});
