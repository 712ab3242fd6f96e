import { beginAttempt, takeAttempt } from "../../plugins/flows/oauth/attempt.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { definePlugin, getLinkFingerprint } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing/testing.ts";
import type { Flow, FlowContext, Identity, Plugin, ProviderBase } from "../../src/types.ts";
import { createTestAuth, ORIGIN, type TestAuth, type TestAuthOptions } from "../_app.ts";

/** The claims that the test's provider returns for a user. */
export interface Claims {
  sub: string;
  name?: string;
  email?: string;
  email_verified?: boolean | undefined;
  access_token?: string;
}

declare module "../../src/types.ts" {
  interface ProviderTypes {
    claims: ProviderBase;
    link: ProviderBase;
    key: ProviderBase;
  }
}

/** An application with a store, which records the adapter's calls and the events in order. */
export interface ClaimsApp extends TestAuth {
  /** Signs in with these claims. With `link`, the account is linked. */
  signIn(claims: Claims, browser?: Browser, link?: boolean, provider?: string): Promise<Response>;
  /** The first half of `signIn`; `finishSignIn` is the second. */
  startSignIn(browser?: Browser, link?: boolean, provider?: string): Promise<Response>;
  finishSignIn(claims: Claims, browser?: Browser, provider?: string): Promise<Response>;
  /** Signs in as the owner of an e-mail address. */
  signInByEmail(email: string, browser?: Browser): Promise<Response>;
}

// A provider whose response the test supplies. Its attempts are those of the real flows.
const claimsFlow = (): Flow => ({
  async start(ctx) {
    const values = { state: `state-${crypto.randomUUID()}` };
    await beginAttempt(ctx, values, { linkTo: await getLinkFingerprint(ctx) });
    return ctx.redirect(`${ctx.origin}/?state=${values.state}`);
  },
  async finish(ctx): Promise<Identity> {
    const claims = JSON.parse(String((await ctx.body()).claims)) as Claims;
    const state = String((await ctx.body()).state);
    const attempt = await takeAttempt(ctx, state, { required: ["state"] });
    if (attempt instanceof Error) throw attempt;
    const { sub, name = "Ada", email, email_verified: verified, access_token = "access" } = claims;
    return {
      user: { id: "from-provider", name, ...(email !== undefined && { email }) },
      account: { providerAccountId: sub, access_token, scope: "all" },
      storedTokens: { access_token },
      profile: { sub, name },
      ...(verified !== undefined && { emailVerified: verified }),
      ...(attempt.linkTo !== undefined && { linkTo: attempt.linkTo }),
    };
  },
});

const emailFlow: Flow = {
  links: "email",
  async start(ctx: FlowContext): Promise<Identity> {
    const email = String((await ctx.body()).email);
    return {
      user: { id: "from-link", email },
      account: { providerAccountId: email },
    };
  },
};

function testFlows(flag: boolean): Plugin {
  return definePlugin({
    name: "test-flows",
    setup(kernel) {
      kernel.addFlow("claims", claimsFlow());
      kernel.addFlow("key", claimsFlow());
      kernel.addFlow("link", emailFlow);
      kernel.addProvider({ id: "claims", name: "Claims", type: "claims" });
      kernel.addProvider({ id: "key", name: "Key", type: "key" });
      kernel.addProvider({ id: "link", name: "Link", type: "link" });
      kernel.addProvider({
        id: "trusted",
        name: "Trusted",
        type: "claims",
        allowDangerousEmailAccountLinking: flag,
      });
      kernel.hooks.session.tap("test-id", async (session, { user, token }) => ({
        ...session,
        userId: user?.id ?? token?.sub,
      }));
    },
  });
}

/** Creates the application. */
export function createClaimsApp(options: TestAuthOptions = {}): ClaimsApp {
  const base = createTestAuth({
    preset: standardPreset,
    errors: "read",
    trustHost: true,
    strategy: "database",
    providers: [],
    record: true,
    ...(!options.adapter && { store: memoryBackend() }),
    ...options,
    use: [testFlows(true), ...(options.use ?? [])],
  });
  const states = new WeakMap<Browser, string>();

  const app: ClaimsApp = Object.assign(base, {
    async startSignIn(from = base.browser, link = false, provider = "claims") {
      const response = await from.signIn(provider, link ? { link: "true" } : {});
      const location = response.headers.get("location") ?? "";
      states.set(from, new URL(location, ORIGIN).searchParams.get("state") ?? "");
      return response;
    },
    finishSignIn(claims: Claims, from = base.browser, provider = "claims") {
      const fields = { claims: JSON.stringify(claims), state: states.get(from) ?? "" };
      return from.signInWith(provider, fields);
    },
    async signIn(claims: Claims, from = base.browser, link = false, provider = "claims") {
      await app.startSignIn(from, link, provider);
      return app.finishSignIn(claims, from, provider);
    },
    signInByEmail: (email: string, from = base.browser) => from.signIn("link", { email }),
  });
  return app;
}
