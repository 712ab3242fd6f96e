import { describe, expect, it } from "vitest";
import type { WebAuthnProvider } from "../../plugins/flows/webauthn/provider.ts";
import { germanPlugin } from "../../plugins/languages/de.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { webauthnPlugin } from "../../plugins/providers/webauthn.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { type AuthConfig, createAuth } from "../../presets/index.ts";
import { createAuth as createMinimal } from "../../presets/minimal.ts";
import type { AuthError } from "../../src/errors.ts";
import { defineStore } from "../../src/kernel.ts";
import type { Provider } from "../../src/types.ts";
import { SECRET } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createPasskeyApp } from "./_passkey.ts";

function buildConfig(over: AuthConfig = {}, warnings: string[] = []): AuthConfig {
  return {
    secret: SECRET,
    env: { NODE_ENV: "test" },
    experimental: { enableWebAuthn: true },
    adapter: adapterOn(memoryBackend()),
    logger: { error() {}, warn: (code) => void warnings.push(code), debug() {} },
    ...over,
  };
}

/** Lists types and messages of the boot faults. */
async function listFaults(config: AuthConfig): Promise<[type: string, text: string][]> {
  try {
    await createAuth(config).inspect();
    return [];
  } catch (error) {
    const all = (error as { errors?: AuthError[] }).errors ?? [error as AuthError];
    return all.map(({ type, message }) => [type, message]);
  }
}

const withProvider = (over: Partial<WebAuthnProvider>) =>
  buildConfig({ providers: [passkeyPlugin(over)] });

describe("boot with a WebAuthn provider", () => {
  it.each([
    ["auth.use(passkeyPlugin())", () => createAuth(buildConfig()).use(passkeyPlugin())],
    [
      "passkeyPlugin() in `providers`",
      () => createAuth(buildConfig({ providers: [passkeyPlugin()] })),
    ],
    ["passkeyPlugin in `providers`", () => createAuth(buildConfig({ providers: [passkeyPlugin] }))],
    [
      "a plain provider object, as in Auth.js",
      () =>
        createAuth(
          buildConfig({
            providers: [
              {
                id: "passkey",
                name: "Passkey",
                type: "webauthn",
                simpleWebAuthnBrowserVersion: "v9.0.1",
              },
            ],
          }),
        ),
    ],
    [
      "the minimal preset",
      () => createMinimal(buildConfig()).use(databaseStrategy()).use(webauthnPlugin()),
    ],
  ])("registers the WebAuthn provider with %s", async (_, make) => {
    const auth = make();
    const { routes } = await auth.inspect();
    const paths = JSON.stringify(routes);
    expect(paths).toContain("/webauthn-options/:provider");
    const id = paths && (await auth.fetch(new Request("http://localhost:3000/auth/providers")));
    expect(Object.values((await (id as Response).json()) as object)).toMatchObject([
      { type: "webauthn" },
    ]);
  });

  it("warns once that WebAuthn is experimental", async () => {
    const warnings: string[] = [];
    await createAuth(buildConfig({}, warnings)).use(passkeyPlugin()).inspect();
    expect(warnings).toEqual(["experimental-webauthn"]);
  });
});

describe("boot warning webauthn-process", () => {
  const env = { NODE_ENV: "production", AUTH_URL: "https://app.example" };
  const backend = memoryBackend();
  const shared = { ...backend, guarantees: { ...backend.guarantees, scope: "global" as const } };
  const listWarnings = async (
    providers: NonNullable<AuthConfig["providers"]>,
    config: AuthConfig = {},
  ) => {
    const warnings: string[] = [];
    await createAuth(buildConfig({ env, providers, ...config }, warnings)).inspect();
    return warnings.filter((code) => code === "webauthn-process");
  };

  it("warns in production without a store, and with one whose scope is the process", async () => {
    expect(await listWarnings([passkeyPlugin()])).toHaveLength(1);
    expect(await listWarnings([passkeyPlugin()], { plugins: [defineStore(backend)] })).toHaveLength(
      1,
    );
  });

  it("does not warn with a shared store, in development, or without WebAuthn providers", async () => {
    expect(await listWarnings([passkeyPlugin()], { plugins: [defineStore(shared)] })).toEqual([]);
    expect(await listWarnings([passkeyPlugin()], { env: { NODE_ENV: "development" } })).toEqual([]);
    const github = { id: "github", name: "GitHub", type: "oauth", issuer: "https://github.com" };
    const endpoints = { authorization: "https://a.example", token: "https://a.example" };
    const oauth = { ...github, ...endpoints, userinfo: "https://a.example" };
    const provider = { ...oauth, clientId: "id", clientSecret: "secret" } as Provider;
    expect(await listWarnings([provider])).toEqual([]);
  });
});

describe("boot faults of WebAuthn providers", () => {
  it("inspect() throws ExperimentalFeatureNotEnabled without experimental.enableWebAuthn", async () => {
    const [fault, ...rest] = await listFaults({
      ...withProvider({}),
      experimental: {},
    });
    expect(rest).toEqual([]);
    expect(fault).toEqual([
      "ExperimentalFeatureNotEnabled",
      expect.stringContaining("experimental.enableWebAuthn: true"),
    ]);
  });

  it("inspect() throws MissingAdapter for WebAuthn without an adapter", async () => {
    const { adapter: _, ...config } = withProvider({});
    expect((await listFaults(config)).map(([type]) => type)).toEqual(["MissingAdapter"]);
  });

  it.each([
    "createAuthenticator",
    "getAuthenticator",
    "listAuthenticatorsByUserId",
    "updateAuthenticatorCounter",
    "getUserByAccount",
    "linkAccount",
    "createUser",
  ] as const)(
    "inspect() throws MissingAdapterMethods when the adapter lacks %s",
    async (method) => {
      const { [method]: _, ...adapter } = adapterOn(memoryBackend());
      const faults = await listFaults({ ...withProvider({}), adapter });
      expect(faults.map(([type]) => type)).toEqual(["MissingAdapterMethods"]);
      expect(faults[0]?.[1]).toContain(method);
    },
  );

  it("inspect() throws DuplicateConditionalUI when two providers enable conditional UI", async () => {
    const both = buildConfig({ providers: [passkeyPlugin(), webauthnPlugin()] });
    expect((await listFaults(both)).map(([type]) => type)).toEqual(["DuplicateConditionalUI"]);
    const one = [passkeyPlugin(), webauthnPlugin({ enableConditionalUI: false })];
    expect(await listFaults(buildConfig({ providers: one }))).toEqual([]);
  });

  it.each([
    [{ formFields: { email: { autocomplete: "email" } } }, "MissingWebAuthnAutocomplete"],
    [
      { formFields: { email: { autocomplete: "webauthn username" } } },
      "MissingWebAuthnAutocomplete",
    ],
    [{ formFields: {} }, "MissingWebAuthnAutocomplete"],
    [{ relayingParty: { id: "https://example.com" } }, "InvalidConfig"],
    [{ relayingParty: { id: "example.com:3000" } }, "InvalidConfig"],
    [{ relayingParty: { origin: "https://example.com/" } }, "InvalidConfig"],
    [{ relayingParty: { origin: ["https://example.com", "example.com"] } }, "InvalidConfig"],
  ])("inspect() rejects the WebAuthn provider options %j", async (over, type) => {
    expect((await listFaults(withProvider(over))).map(([found]) => found)).toEqual([type]);
  });

  // secp256k1, names of RFC 9864, SHA-1, none: a passkey could be registered, but never sign in again.
  it.each<[given: unknown]>([[[-47]], [[-7, -9]], [[-19]], [[-65535]], [["ES256"]], [[]], [-7]])(
    "inspect() rejects the algorithms %j, by which no sign-in could be verified",
    async (given) => {
      const supportedAlgorithmIDs = given as number[];
      const faults = await listFaults(
        withProvider({ registrationOptions: { supportedAlgorithmIDs } }),
      );
      expect(faults).toEqual([
        [
          "InvalidConfig",
          expect.stringContaining("unusable `registrationOptions.supportedAlgorithmIDs`"),
        ],
      ]);
    },
  );

  it.each([
    { formFields: {}, enableConditionalUI: false },
    { registrationOptions: { supportedAlgorithmIDs: [-8, -7, -257, -35, -36, -37, -48] } },
    { formFields: { nick: { autocomplete: "username webauthn" } } },
    {
      relayingParty: {
        id: "example.com",
        origin: ["https://example.com", "android:apk-key-hash:AbC"],
      },
    },
  ])("inspect() accepts the WebAuthn provider options %j", async (over) => {
    expect(await listFaults(withProvider(over))).toEqual([]);
  });
});

describe("the origin of passkeys that other hosts may request", () => {
  const relayingParty = { id: "app.example" };
  const faults = async (over: Partial<WebAuthnProvider>, config: AuthConfig = {}) =>
    listFaults({
      ...withProvider({ relayingParty, ...over }),
      env: { NODE_ENV: "production" },
      trustHost: true,
      ...config,
    });

  it("production does not let requests choose the origin", async () => {
    const [fault, ...others] = await faults({});
    expect(fault?.[0]).toBe("UntrustedHost");
    expect(fault?.[1]).toContain("any request could choose the origin");
    expect(others).toEqual([]);
    expect(await faults({ relayingParty: { id: [] } })).toEqual([]);
  });

  it.each<[string, Partial<WebAuthnProvider>, AuthConfig]>([
    ["AUTH_URL", {}, { env: { NODE_ENV: "production", AUTH_URL: "https://app.example" } }],
    ["a list of hosts", {}, { trustHost: ["app.example"] }],
    ["an environment that sets the host", {}, { env: { NODE_ENV: "production", VERCEL: "1" } }],
    [
      "`relayingParty.origin`",
      { relayingParty: { ...relayingParty, origin: "https://app.example" } },
      {},
    ],
    [
      "getRelayingParty()",
      { getRelayingParty: () => ({ ...relayingParty, name: "", origin: "https://app.example" }) },
      {},
    ],
    ["development", {}, { env: { NODE_ENV: "development" } }],
    ["no `relayingParty.id`", { relayingParty: { name: "App" } }, {}],
  ])("%s is enough to boot", async (_, over, config) => {
    expect(await faults(over, config)).toEqual([]);
  });
});

it("@simplewebauthn/server is loaded for a plain provider object without `simpleWebAuthn`", async () => {
  const plain = { id: "passkey", name: "Passkey", type: "webauthn" as const };
  for (const simpleWebAuthn of [undefined, { verifyRegistrationResponse: () => ({}) }]) {
    const provider = { ...plain, ...(simpleWebAuthn && { simpleWebAuthn }) };
    const auth = createAuth(buildConfig({ providers: [provider] }));
    const url = "http://localhost:3000/auth/webauthn-options/passkey";
    expect((await auth.fetch(new Request(url))).status).toBe(200);
  }
});

describe("WebAuthn form on the sign-in page", () => {
  it("the passkey form is hidden until its script runs, and the policy allows only that script", async () => {
    const app = createPasskeyApp();
    const response = await app.browser.get("/auth/signin");
    const html = await response.text();
    const nonce = /<script type="module" nonce="([^"]+)"/.exec(html)?.[1];
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain(`script-src 'nonce-${nonce}'; connect-src 'self'`);
    expect(html).toMatch(
      /<form id="passkey-form" action="http:\/\/localhost:3000\/auth\/callback\/passkey" method="post" hidden data-live="http:\/\/localhost:3000\/auth\/passkey-\w+\.js">/,
    );
    expect(html).toContain('autocomplete="username webauthn"');
    const [, src = "", integrity = ""] = /src="([^"]+)" integrity="([^"]+)"/.exec(html) ?? [];
    const script = await app.auth.fetch(new Request(src));
    expect(script.status).toBe(200);
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const digest = await crypto.subtle.digest("SHA-256", await script.arrayBuffer());
    expect(integrity).toBe(`sha256-${Buffer.from(digest).toString("base64")}`);
  });

  it("the sign-in page has no script without WebAuthn providers", async () => {
    const auth = createAuth({
      ...buildConfig(),
      providers: [
        {
          id: "in",
          name: "In",
          type: "credentials",
          credentials: { a: {} },
          authorize: () => null,
        },
      ],
    });
    const response = await auth.fetch(new Request("http://localhost:3000/auth/signin"));
    expect(await response.text()).not.toContain("<script");
    expect(response.headers.get("content-security-policy")).not.toContain("script-src");
  });

  it("the passkey form is in the visitor's language, with the provider's own name and labels", async () => {
    const read = async (provider: Partial<WebAuthnProvider>) => {
      const app = createPasskeyApp({ passkey: provider, plugins: [germanPlugin()] });
      const headers = { "accept-language": "de", accept: "text/html" };
      const url = "http://localhost:3000/auth/signin";
      return (await app.auth.fetch(new Request(url, { headers }))).text();
    };
    const html = await read({});
    for (const text of [
      ">E-Mail-Adresse für Ihr neues Konto<",
      ">Mit Passkey anmelden<",
      ">Mit Passkey registrieren<",
      ">Für Passkeys sind JavaScript und ein Browser nötig",
      'data-failed="Die Passkey-Anfrage ist fehlgeschlagen',
    ]) {
      expect(html).toContain(text);
    }
    const named = await read({
      name: "Acme Key",
      formFields: { email: { label: "Work mail", autocomplete: "username webauthn" } },
    });
    for (const text of [">Mit Acme Key anmelden<", ">Mit Acme Key registrieren<", ">Work mail<"]) {
      expect(named).toContain(text);
    }
  });

  it("the form offers neither conditional UI nor registration when they are disabled", async () => {
    const app = createPasskeyApp({
      passkey: { enableConditionalUI: false, registration: "signed-in" },
    });
    const html = await (await app.browser.get("/auth/signin")).text();
    expect(html).toContain('autocomplete="username"');
    expect(html).not.toContain("webauthn");
    expect(html).not.toContain("Sign up with");
  });
});
