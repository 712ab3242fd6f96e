import { type AuthConfig, createAuth } from "../../presets/index.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { definePlugin } from "../../src/index.ts";
import { type Browser, createBrowser } from "../../src/testing.ts";
import { beginAttempt, linkTarget, takeAttempt } from "../../src/index.ts";
import type {
  Adapter,
  Auth,
  EventsOptions,
  Flow,
  FlowContext,
  Identity,
  Plugin,
  ProviderBase,
  StoreBackend,
} from "../../src/types.ts";
import { adapterOn } from "../adapters/_shelf.ts";

export const ORIGIN = "http://localhost:3000";

/** Who the provider of the test says somebody is. */
export interface Claims {
  sub: string;
  name?: string;
  email?: string;
  email_verified?: boolean;
  access_token?: string;
}

declare module "../../src/types.ts" {
  interface ProviderTypes {
    claims: ProviderBase;
    letter: ProviderBase;
    key: ProviderBase;
  }
}

/** Something that happened, in order. */
export type Step = [what: string, ...args: unknown[]];

/** An application with a store, whose calls and announcements are written down. */
export interface House {
  auth: Auth;
  adapter: Adapter;
  steps: Step[];
  errors: Error[];
  warnings: string[];
  /** Asked before each call of the adapter. */
  gate: (method: string) => Promise<void> | void;
  browser: Browser;
  newBrowser(): Browser;
  /** Signs in as the provider says; `link` asks for the account to be linked. */
  come(claims: Claims, browser?: Browser, link?: boolean, provider?: string): Promise<Response>;
  /** The two halves of `come`. */
  start(browser?: Browser, link?: boolean, provider?: string): Promise<Response>;
  finish(claims: Claims, browser?: Browser, provider?: string): Promise<Response>;
  /** Signs in as the owner of an address. */
  letter(email: string, browser?: Browser): Promise<Response>;
  /** Who is signed in, by the stored user's id. */
  who(browser?: Browser): Promise<string | undefined>;
  /** Names of what happened since the last call. */
  names(): string[];
}

// A provider whose answer the test writes itself; its attempts are those of the real flows.
const claimsFlow = (type: string): Flow => ({
  async start(ctx) {
    const values = { state: `state-${crypto.randomUUID()}` };
    await beginAttempt(ctx, values, { linkTo: await linkTarget(ctx) });
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
      account: {
        provider: ctx.provider.id,
        type,
        providerAccountId: sub,
        access_token,
        scope: "all",
      },
      storedTokens: { access_token },
      profile: { sub, name },
      ...(verified !== undefined && { emailVerified: verified }),
      ...(attempt.linkTo !== undefined && { linkTo: attempt.linkTo }),
    };
  },
});

const letterFlow: Flow = {
  links: "email",
  async start(ctx: FlowContext): Promise<Identity> {
    const email = String((await ctx.body()).email);
    return {
      user: { id: "from-letter", email },
      account: { provider: ctx.provider.id, type: "email", providerAccountId: email },
    };
  },
};

function testFlows(flag: boolean): Plugin {
  return definePlugin({
    name: "test-flows",
    setup(kernel) {
      kernel.addFlow("claims", claimsFlow("oauth"));
      kernel.addFlow("key", claimsFlow("webauthn"));
      kernel.addFlow("letter", letterFlow);
      kernel.addProvider({ id: "claims", name: "Claims", type: "claims" });
      kernel.addProvider({ id: "key", name: "Key", type: "key" });
      kernel.addProvider({ id: "letter", name: "Letter", type: "letter" });
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

const EVENTS = ["createUser", "updateUser", "linkAccount", "signIn", "signOut"] as const;

// The adapter with each call announced.
function watched(adapter: Adapter, told: (step: Step) => Promise<void> | void): Adapter {
  return Object.fromEntries(
    Object.entries(adapter).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        await told([name, ...args]);
        return (method as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  );
}

/** Makes a house. */
export function createHouse(
  options: {
    strategy?: string;
    config?: AuthConfig;
    adapter?: Adapter;
    backend?: StoreBackend;
    /** Which methods the adapter shall lack. */
    without?: readonly (keyof Adapter)[];
  } = {},
): House {
  const { strategy = "database", config = {}, without = [] } = options;
  const steps: Step[] = [];
  const errors: Error[] = [];
  const warnings: string[] = [];
  const full = options.adapter ?? adapterOn(options.backend ?? memoryBackend());
  const adapter = { ...full };
  for (const method of without) delete adapter[method];
  const events = Object.fromEntries(
    EVENTS.map((name) => [name, (message: unknown) => void steps.push([`${name}!`, message])]),
  ) as EventsOptions;
  const auth = createAuth({
    secret: "keyhook-test-secret-0123456789abcdef",
    env: { NODE_ENV: "test" },
    trustHost: true,
    events,
    logger: {
      error: (error) => void errors.push(error),
      warn: (code) => void warnings.push(code),
      debug() {},
    },
    ...config,
    adapter: watched(adapter, (step) => {
      // What is not there to be handed over, is not.
      steps.push(step.at(-1) === undefined ? (step.slice(0, -1) as Step) : step);
      return house.gate(step[0]);
    }),
    session: { strategy, ...config.session },
  }).use(testFlows(true));
  const newBrowser = () => createBrowser((request) => auth.fetch(request), { origin: ORIGIN });
  const browser = newBrowser();
  const states = new WeakMap<Browser, string>();

  const house: House = {
    auth,
    adapter,
    steps,
    errors,
    warnings,
    gate() {},
    browser,
    newBrowser,
    async start(from = browser, link = false, provider = "claims") {
      const response = await from.signIn(provider, link ? { link: "true" } : {});
      const location = response.headers.get("location") ?? "";
      states.set(from, new URL(location, ORIGIN).searchParams.get("state") ?? "");
      return response;
    },
    finish(claims, from = browser, provider = "claims") {
      const fields = { claims: JSON.stringify(claims), state: states.get(from) ?? "" };
      return from.signInWith(provider, fields);
    },
    async come(claims, from = browser, link = false, provider = "claims") {
      await house.start(from, link, provider);
      return house.finish(claims, from, provider);
    },
    letter: (email, from = browser) => from.signIn("letter", { email }),
    async who(from = browser) {
      const session = await from.session<{ userId?: string }>();
      return session?.userId;
    },
    names() {
      return steps.splice(0).map(([name]) => name);
    },
  };
  return house;
}
