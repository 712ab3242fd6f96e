// Configurations that boot without a fault, but do not do what their author intends.
import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import type { Adapter, AuthConfig, Env } from "../../src/kernel.ts";
import { createTestAuth, plainAdapter, Rows, SECRET, unservedOAuth } from "../_app.ts";

const PRODUCTION: Env = { NODE_ENV: "production", AUTH_URL: "https://app.example" };
const acme = (more: object = {}) => ({ ...unservedOAuth("acme"), ...more });
const mail = (more: object = {}) => ({
  id: "mail",
  name: "Mail",
  type: "email" as const,
  sendVerificationRequest() {},
  ...more,
});

/** Boots a configuration, and returns the codes of its warnings and the texts of its faults. */
function boot(config: AuthConfig, env: Env = PRODUCTION) {
  const { auth, log } = createTestAuth({
    preset: standardPreset,
    errors: "allowed",
    providers: [acme()],
    ...config,
    env,
  });
  let faults = "";
  try {
    auth.inspect();
  } catch (error) {
    faults = (error as Error).message;
  }
  return { warnings: log.warnings.filter((code) => !code.startsWith("rate-limit")), faults };
}

const foreign = (): Adapter => ({
  ...plainAdapter(new Rows()),
  createVerificationToken: (token) => token,
  useVerificationToken: () => null,
});

describe("one secret for two purposes", () => {
  const shared: Record<string, AuthConfig> = {
    "the client secret of a provider": { providers: [acme({ clientSecret: SECRET })] },
    "the client secret, and the second of several": {
      secret: ["another-secret-of-at-least-32-characters", SECRET],
      providers: [acme({ clientSecret: SECRET })],
    },
    "the client secret, and jwt.secret": {
      secret: "another-secret-of-at-least-32-characters",
      jwt: { secret: SECRET },
      providers: [acme({ clientSecret: SECRET })],
    },
    "the key of a mail service": {
      adapter: foreign(),
      providers: [mail({ apiKey: SECRET })],
    },
  };

  it.each(Object.entries(shared))("production refuses %s", (_, config) => {
    const { faults } = boot(config);
    expect(faults).toContain("is also a secret of the application");
    expect(faults).not.toContain(SECRET);
  });

  it("development warns, and the secret of tokens in e-mails may be the application's", () => {
    const { warnings, faults } = boot(
      { providers: [acme({ clientSecret: SECRET })] },
      { NODE_ENV: "test" },
    );
    expect([warnings, faults]).toEqual([["secret-shared"], ""]);
    const session = { strategy: "jwt" };
    const own = boot({ session, adapter: foreign(), providers: [mail({ secret: SECRET })] });
    expect(own.faults).toBe("");
  });
});

describe("hosts of strangers in trustHost", () => {
  const { AUTH_URL: _, ...env } = PRODUCTION;

  it.each([
    "*.vercel.app",
    "https://*.Vercel.App",
    "http://*.fly.dev",
    "*.com",
    "*.co.uk",
    "*.pages.dev:443",
    "*.app",
  ])("boot warns of a trustHost list with %j", (entry) => {
    expect(boot({ trustHost: ["app.example", entry] }, env).warnings).toEqual([
      "trust-host-shared",
    ]);
  });

  it.each(["my.vercel.app", "*.app.example", "*.localhost", "*.internal", "*.me.github.io"])(
    "boot does not warn of a trustHost list with %j",
    (entry) => {
      expect(boot({ trustHost: [entry] }, env)).toEqual({ warnings: [], faults: "" });
    },
  );

  it.each(["true", "app.example", 1, [1], {}])("trustHost %j is refused by name", (trustHost) => {
    const { faults } = boot({ trustHost } as AuthConfig, env);
    expect(faults).toContain("`trustHost` must be true, false or a list of hosts");
  });

  it("variables of `vercel env pull` do not make boot trust the request's host", () => {
    const pulled = { ...env, VERCEL: "1", VERCEL_ENV: "development" };
    const config = { session: { strategy: "jwt" }, adapter: foreign(), providers: [mail()] };
    expect(boot(config, pulled).faults).toContain("Set AUTH_URL");
    expect(boot(config, { ...pulled, VERCEL_ENV: "production" }).faults).toBe("");
    expect(boot(config, { ...env, VERCEL: "1" }).faults).toBe("");
  });

  it("boot warns of development on a public host", () => {
    const { warnings } = boot({}, { ...PRODUCTION, NODE_ENV: "development" });
    expect(warnings).toEqual(["development-public"]);
    expect(boot({}, { NODE_ENV: "development", AUTH_URL: "http://localhost:3000" })).toEqual({
      warnings: [],
      faults: "",
    });
  });
});

describe("options without effect", () => {
  it.each(["signIn", "redirect", "jwt", "session", "authorized"])(
    "callbacks.%s that is not a function is refused",
    (name) => {
      for (const value of [false, true, "deny", {}, 0, ""]) {
        const { faults } = boot({ callbacks: { [name]: value } } as AuthConfig);
        expect(faults).toContain(`\`callbacks.${name}\` must be a function`);
      }
      expect(boot({ callbacks: { [name]: undefined } }).faults).toBe("");
    },
  );

  it.each([
    ["events.signIn", { events: { signIn: true } }],
    ["jwt.encode", { jwt: { encode: "x" } }],
    ["jwt.decode", { jwt: { decode: {} } }],
    ["session.generateSessionToken", { session: { generateSessionToken: "x" } }],
  ])("%s that is not a function is refused", (name, config) => {
    expect(boot(config as unknown as AuthConfig).faults).toContain(
      `\`${name}\` must be a function`,
    );
  });

  it("boot warns of an option that only the other strategy uses", () => {
    const jwt = boot({ session: { maxPerUser: 3 }, jwt: { bindOrigin: true, maxSize: 4000 } });
    expect(jwt.warnings).toEqual(["option-unused"]);
    const adapter = foreign();
    const database = boot({ adapter, session: { maxPerUser: 3 }, jwt: { bindOrigin: true } });
    expect(database.warnings).toContain("option-unused");
    expect(boot({ adapter, session: { maxPerUser: 3 } }).warnings).not.toContain("option-unused");
  });

  it("`checks` that is not a list is refused by name", () => {
    expect(boot({ providers: [acme({ checks: "state" })] }).faults).toContain(
      "has `checks` that are not a list",
    );
  });
});

describe("cookies", () => {
  const withSameSite = (sameSite: unknown) =>
    boot({ cookies: { sessionToken: { options: { sameSite, secure: true } } } } as AuthConfig);

  it.each(["Lax", "lax ", "bogus", 1, {}])("sameSite %j is refused", (sameSite) => {
    expect(withSameSite(sameSite).faults).toContain('`sameSite` must be "lax", "strict" or "none"');
  });

  it("boot warns of a session that every site can use", () => {
    expect(withSameSite("none")).toEqual({ warnings: ["cookie-cross-site"], faults: "" });
    expect(withSameSite("strict")).toEqual({ warnings: [], faults: "" });
  });

  it.each(["state", "pkceCodeVerifier", "nonce", "oauthAttempt", "browser"])(
    "boot warns of a strict cookie %s, which browsers do not send when a provider leads back",
    (key) => {
      for (const sameSite of ["strict", true] as const) {
        const cookies = { [key]: { options: { sameSite } } };
        expect(boot({ cookies })).toEqual({ warnings: ["cookie-strict"], faults: "" });
        // Without redirects to another site, `strict` works.
        expect(boot({ cookies, providers: [] }).warnings).toEqual([]);
      }
      expect(boot({ cookies: { [key]: { options: { sameSite: "lax" } } } }).warnings).toEqual([]);
    },
  );
});

describe("tokens of the application's own", () => {
  const generateVerificationToken = () => "123456";
  const warningsOf = (more: object) =>
    boot({ adapter: foreign(), providers: [mail({ generateVerificationToken, ...more })] })
      .warnings;

  it("boot warns of tokens that can be guessed without limit, or for a day", () => {
    expect(warningsOf({ maxAge: 600, attempts: false })).toEqual(["email-guessable"]);
    expect(warningsOf({})).toEqual(["email-long-lived"]);
    expect(warningsOf({ maxAge: 600 })).toEqual([]);
  });
});

it("users in the memory of one process are refused in production", () => {
  const { faults } = boot({ plugins: [memoryStore(), storeAdapter()] });
  expect(faults).toContain("outlive the process");
});
