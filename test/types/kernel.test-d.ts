import { describe, expectTypeOf, it } from "vitest";
import type { OAuthProvider } from "../../plugins/flows/oauth.ts";
import type { WebAuthnProvider } from "../../plugins/flows/webauthn.ts";
import { githubPlugin, type GitHubOptions } from "../../plugins/providers/github.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { h3Preset, type H3Members } from "../../presets/h3.ts";
import { createAuth, standardPreset } from "../../presets/index.ts";
import { nodePreset, type NodeMembers } from "../../presets/node.ts";
import { definePreset, defineProvider, openCheck, sealCheck } from "../../src/kernel.ts";
import type {
  AdapterUser,
  Auth,
  AuthContext,
  CookieKey,
  CookieKeys,
  CookiesOptions,
  CurrentSession,
  FlowContext,
  Kernel,
  PathParams,
  Plugin,
  Preset,
  ProviderBase,
  ProviderFactory,
  ProviderPlugin,
  Route,
} from "../../src/kernel.ts";

interface Fax extends ProviderBase {
  type: "fax";
  line: string;
}

// As a package of a flow does with `declare module "keyhook/types"`.
declare module "../../src/types.ts" {
  interface CookieKeys {
    faxCode: true;
  }
  interface ProviderTypes {
    fax: Fax;
  }
}

declare const plugin: Plugin;

describe("auth.use() with a preset", () => {
  it("use(h3Preset) adds the members of the h3 binding", () => {
    const auth = createAuth().use(h3Preset);
    expectTypeOf(auth).toEqualTypeOf<Auth & H3Members>();
    expectTypeOf(auth.handler).toEqualTypeOf<H3Members["handler"]>();
    expectTypeOf(auth.plugin).toEqualTypeOf<H3Members["plugin"]>();
  });

  it("use() of two presets adds the members of both bindings, also with plugins between them", () => {
    const auth = createAuth().use(plugin).use(h3Preset).use(githubPlugin()).use(nodePreset);
    expectTypeOf(auth).toExtend<Auth & H3Members & NodeMembers>();
  });

  it("use() of a preset without a binding keeps the type of its Auth", () => {
    const auth = createAuth().use(standardPreset);
    expectTypeOf(auth).toExtend<Auth>();
    expectTypeOf<Auth>().toExtend<typeof auth>();
    // @ts-expect-error -- no binding
    void auth.handler;
  });

  it("use() accepts a plugin or a preset whose type is only known as the union", () => {
    const additions: (Plugin | Preset)[] = [plugin, standardPreset];
    for (const addition of additions) expectTypeOf(createAuth().use(addition)).toExtend<Auth>();
  });

  it("definePreset() infers the members of a binding", () => {
    const preset = definePreset({
      name: "own",
      plugins: [],
      binding: { name: "own", extend: (auth: Auth) => ({ close: () => auth.inspect() }) },
    });
    const auth = createAuth().use(preset);
    expectTypeOf(auth.close).returns.toEqualTypeOf<ReturnType<Auth["inspect"]>>();
  });
});

describe("ProviderFactory", () => {
  it("ProviderFactory has no options of its own by default, and accepts every field of the provider", () => {
    expectTypeOf<ProviderFactory<Fax>>().toEqualTypeOf<ProviderFactory<Fax, object>>();
    expectTypeOf<ReturnType<ProviderFactory<Fax>>>().toEqualTypeOf<ProviderPlugin<Fax>>();
    expectTypeOf<Parameters<ProviderFactory<Fax>>[0]>().toEqualTypeOf<
      | {
          id?: string | undefined;
          name?: string | undefined;
          style?: ProviderBase["style"] | undefined;
          allowDangerousEmailAccountLinking?: boolean | undefined;
          line?: string | undefined;
        }
      | undefined
    >();
  });

  it("factories of the catalog are ProviderFactory with their options", () => {
    expectTypeOf(passkeyPlugin).toEqualTypeOf<ProviderFactory<WebAuthnProvider>>();
    expectTypeOf(githubPlugin).toExtend<ProviderFactory<OAuthProvider<never>, GitHubOptions>>();
    githubPlugin({ enterprise: { baseUrl: "https://github.example.com" }, clientId: undefined });
    // @ts-expect-error -- the type of a provider is fixed
    githubPlugin({ type: "oidc" });
    // @ts-expect-error -- a misspelled option of its own
    githubPlugin({ enterprise: { url: "https://github.example.com" } });
  });

  it("defineProvider() requires a complete definition, and passes the options to it", () => {
    const faxPlugin = defineProvider<Fax, { prefix?: string }>(
      () => plugin,
      ({ prefix, line }) => {
        expectTypeOf(prefix).toEqualTypeOf<string | undefined>();
        expectTypeOf(line).toEqualTypeOf<string | undefined>();
        return { id: "fax", name: "Fax", type: "fax", line: `${prefix}${line}` };
      },
    );
    expectTypeOf(faxPlugin({ prefix: "0" }).provider).toEqualTypeOf<Fax>();
    const flow = () => plugin;
    // @ts-expect-error -- `line` is missing
    defineProvider<Fax>(flow, () => ({ id: "fax", name: "Fax", type: "fax" }));
  });
});

describe("CookieKeys", () => {
  it("a key added to CookieKeys is a CookieKey, and can be registered, read and overridden", () => {
    expectTypeOf<CookieKeys["faxCode"]>().toEqualTypeOf<true>();
    expectTypeOf<"faxCode">().toExtend<CookieKey>();
    const use = async (kernel: Kernel, ctx: AuthContext, flow: FlowContext<Fax>) => {
      kernel.addCookie("faxCode", { name: "acme.fax", prefix: "__Host-", reservedSalts: ["fax"] });
      expectTypeOf(ctx.cookies.spec("faxCode").name).toEqualTypeOf<string>();
      await sealCheck(flow, "faxCode", { value: flow.provider.line });
      expectTypeOf((await openCheck(flow, "faxCode")).value).toEqualTypeOf<string>();
    };
    expectTypeOf(use).toBeFunction();
    expectTypeOf<CookiesOptions>().toHaveProperty("faxCode");
    createAuth({ cookies: { faxCode: { name: "fax", options: { maxAge: 60 } } } });
  });

  it("an undeclared key is a type error", () => {
    const use = (kernel: Kernel) => {
      // @ts-expect-error -- not declared
      kernel.addCookie("telexCode", { name: "acme.telex" });
    };
    expectTypeOf(use).toBeFunction();
    // @ts-expect-error -- not declared
    createAuth({ cookies: { telexCode: { name: "telex" } } });
  });

  it("flows and the kernel declare the keys of their cookies", () => {
    expectTypeOf<"sessionToken" | "callbackUrl" | "csrfToken">().toExtend<CookieKey>();
    expectTypeOf<
      "state" | "nonce" | "pkceCodeVerifier" | "emailCheck" | "webauthnChallenge"
    >().toExtend<CookieKey>();
  });
});

describe("routes and their context", () => {
  it("a route has a method of the list, and `auth` is true, fresh or missing", () => {
    expectTypeOf<Route["method"]>().toEqualTypeOf<"GET" | "POST" | "PUT" | "PATCH" | "DELETE">();
    expectTypeOf<Route["auth"]>().toEqualTypeOf<true | "fresh" | undefined>();
    // @ts-expect-error -- no such method
    const route: Route = { method: "HEAD", path: "/x", handler: (ctx) => ctx.json(1) };
    void route;
  });

  it("ctx.session() may be null, ctx.requireSession() is not, and both have the id", () => {
    expectTypeOf<
      ReturnType<AuthContext["requireSession"]>
    >().resolves.toEqualTypeOf<CurrentSession>();
    expectTypeOf<
      Awaited<ReturnType<AuthContext["session"]>>
    >().toEqualTypeOf<CurrentSession | null>();
    expectTypeOf<CurrentSession["id"]>().toEqualTypeOf<string>();
    expectTypeOf<CurrentSession["user"]>().toEqualTypeOf<AdapterUser | undefined>();
  });

  it("ctx.params is read-only text by name", () => {
    expectTypeOf<AuthContext["params"]>().toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf<AuthContext["ip"]>().toEqualTypeOf<string | undefined>();
  });

  it("a route's handler has the parameters of its path, and no others", () => {
    const kernel = {} as Kernel;
    kernel.addRoute({
      method: "GET",
      path: "/org/:id/members/:member",
      handler(ctx) {
        expectTypeOf(ctx.params).toEqualTypeOf<{ readonly id: string; readonly member: string }>();
        // @ts-expect-error -- not in the path
        return ctx.json(ctx.params.other);
      },
    });
    expectTypeOf<keyof PathParams<"/whoami">>().toEqualTypeOf<never>();
    expectTypeOf<keyof PathParams<"/org/:id/:provider">>().toEqualTypeOf<"id">();
    expectTypeOf<PathParams<string>>().toEqualTypeOf<Readonly<Record<string, string>>>();
    const handler = (ctx: AuthContext) => ctx.json(ctx.params);
    expectTypeOf(kernel.addRoute<"/x/:id">).toBeCallableWith({
      method: "GET",
      path: "/x/:id",
      handler,
    });
    expectTypeOf<Route<"/x/:id">>().toExtend<Route>();
  });

  it("handle() of the Node binding accepts both a Node request and a web Request", () => {
    const auth = createAuth().use(nodePreset);
    expectTypeOf(auth.handle).toBeCallableWith(new Request("http://localhost"), { ip: "::1" });
    expectTypeOf<NodeMembers["handle"]>().returns.resolves.toEqualTypeOf<boolean>();
  });

  it("`env` of the configuration accepts the interface of a Worker's bindings", () => {
    interface Bindings {
      AUTH_SECRET: string;
      SESSIONS: { get(key: string): Promise<string | null> };
    }
    const env = {} as Bindings;
    expectTypeOf(createAuth({ env })).toExtend<Auth>();
    expectTypeOf(createAuth({ env: process.env })).toExtend<Auth>();
  });
});
