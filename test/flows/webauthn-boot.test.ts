import { describe, expect, it } from "vitest";
import germanPlugin from "../../plugins/languages/de.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { webauthnPlugin } from "../../plugins/providers/webauthn.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { type AuthConfig, createAuth } from "../../presets/index.ts";
import { createAuth as createMinimal } from "../../presets/minimal.ts";
import { type AuthError, defineStore, type WebAuthnProvider } from "../../src/index.ts";
import type { Provider } from "../../src/types.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import { createPasskeyApp, SECRET } from "./_passkey.ts";

function configOf(over: AuthConfig = {}, warnings: string[] = []): AuthConfig {
  return {
    secret: SECRET,
    env: { NODE_ENV: "test" },
    experimental: { enableWebAuthn: true },
    adapter: adapterOn(memoryBackend()),
    logger: { error() {}, warn: (code) => void warnings.push(code), debug() {} },
    ...over,
  };
}

/** Types and messages of what keeps it from starting. */
async function faultsOf(config: AuthConfig): Promise<[type: string, text: string][]> {
  try {
    await createAuth(config).inspect();
    return [];
  } catch (error) {
    const all = (error as { errors?: AuthError[] }).errors ?? [error as AuthError];
    return all.map(({ type, message }) => [type, message]);
  }
}

const withProvider = (over: Partial<WebAuthnProvider>) =>
  configOf({ providers: [passkeyPlugin(over)] });

describe("an application with passkeys starts", () => {
  it.each([
    ["a plugin to use", () => createAuth(configOf()).use(passkeyPlugin())],
    ["an entry of providers", () => createAuth(configOf({ providers: [passkeyPlugin()] }))],
    ["a function among them", () => createAuth(configOf({ providers: [passkeyPlugin] }))],
    [
      "a plain object, as Auth.js has it",
      () =>
        createAuth(
          configOf({
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
    ["without pages", () => createMinimal(configOf()).use(webauthnPlugin())],
  ])("with %s", async (_, make) => {
    const auth = make();
    const { routes } = await auth.inspect();
    const paths = JSON.stringify(routes);
    expect(paths).toContain("/webauthn-options/:provider");
    const id = paths && (await auth.fetch(new Request("http://localhost:3000/auth/providers")));
    expect(Object.values((await (id as Response).json()) as object)).toMatchObject([
      { type: "webauthn" },
    ]);
  });

  it("and says once that they are experimental", async () => {
    const warnings: string[] = [];
    await createAuth(configOf({}, warnings)).use(passkeyPlugin()).inspect();
    expect(warnings).toEqual(["experimental-webauthn"]);
  });
});

describe("an application in production warns of challenges that one process alone knows", () => {
  const env = { NODE_ENV: "production", AUTH_URL: "https://app.example" };
  const backend = memoryBackend();
  const shared = { ...backend, guarantees: { ...backend.guarantees, scope: "global" as const } };
  const warningsOf = async (
    providers: NonNullable<AuthConfig["providers"]>,
    config: AuthConfig = {},
  ) => {
    const warnings: string[] = [];
    await createAuth(configOf({ env, providers, ...config }, warnings)).inspect();
    return warnings.filter((code) => code === "webauthn-process");
  };

  it("without a store, and with one that is the process's own", async () => {
    expect(await warningsOf([passkeyPlugin()])).toHaveLength(1);
    expect(await warningsOf([passkeyPlugin()], { plugins: [defineStore(backend)] })).toHaveLength(
      1,
    );
  });

  it("not with a store that all see, in development, or where there are no passkeys", async () => {
    expect(await warningsOf([passkeyPlugin()], { plugins: [defineStore(shared)] })).toEqual([]);
    expect(await warningsOf([passkeyPlugin()], { env: { NODE_ENV: "development" } })).toEqual([]);
    const github = { id: "github", name: "GitHub", type: "oauth", issuer: "https://github.com" };
    const endpoints = { authorization: "https://a.example", token: "https://a.example" };
    const oauth = { ...github, ...endpoints, userinfo: "https://a.example" };
    const provider = { ...oauth, clientId: "id", clientSecret: "secret" } as Provider;
    expect(await warningsOf([provider])).toEqual([]);
  });
});

describe("an application does not start", () => {
  it("where passkeys are not switched on", async () => {
    const [fault, ...rest] = await faultsOf({
      ...withProvider({}),
      experimental: {},
    });
    expect(rest).toEqual([]);
    expect(fault).toEqual([
      "ExperimentalFeatureNotEnabled",
      expect.stringContaining("experimental.enableWebAuthn: true"),
    ]);
  });

  it("without an adapter", async () => {
    const { adapter: _, ...config } = withProvider({});
    expect((await faultsOf(config)).map(([type]) => type)).toEqual(["MissingAdapter"]);
  });

  it.each([
    "createAuthenticator",
    "getAuthenticator",
    "listAuthenticatorsByUserId",
    "updateAuthenticatorCounter",
    "getUserByAccount",
    "linkAccount",
    "createUser",
  ] as const)("where the adapter lacks %s", async (method) => {
    const { [method]: _, ...adapter } = adapterOn(memoryBackend());
    const faults = await faultsOf({ ...withProvider({}), adapter });
    expect(faults.map(([type]) => type)).toEqual(["MissingAdapterMethods"]);
    expect(faults[0]?.[1]).toContain(method);
  });

  it("where two providers offer passkeys at once", async () => {
    const both = configOf({ providers: [passkeyPlugin(), webauthnPlugin()] });
    expect((await faultsOf(both)).map(([type]) => type)).toEqual(["DuplicateConditionalUI"]);
    const one = [passkeyPlugin(), webauthnPlugin({ enableConditionalUI: false })];
    expect(await faultsOf(configOf({ providers: one }))).toEqual([]);
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
  ])("with %j", async (over, type) => {
    expect((await faultsOf(withProvider(over))).map(([found]) => found)).toEqual([type]);
  });

  it.each([
    { formFields: {}, enableConditionalUI: false },
    { formFields: { nick: { autocomplete: "username webauthn" } } },
    {
      relayingParty: {
        id: "example.com",
        origin: ["https://example.com", "android:apk-key-hash:AbC"],
      },
    },
  ])("but it does with %j", async (over) => {
    expect(await faultsOf(withProvider(over))).toEqual([]);
  });
});

it("finds the package by itself, where a plain object does not say how to load it", async () => {
  const plain = { id: "passkey", name: "Passkey", type: "webauthn" as const };
  for (const simpleWebAuthn of [undefined, { verifyRegistrationResponse: () => ({}) }]) {
    const provider = { ...plain, ...(simpleWebAuthn && { simpleWebAuthn }) };
    const auth = createAuth(configOf({ providers: [provider] }));
    const url = "http://localhost:3000/auth/webauthn-options/passkey";
    expect((await auth.fetch(new Request(url))).status).toBe(200);
  }
});

describe("the sign-in page", () => {
  it("has a form that waits for its script, which alone may run", async () => {
    const app = createPasskeyApp();
    const response = await app.browser.get("/auth/signin");
    const html = await response.text();
    const nonce = /<script type="module" nonce="([^"]+)"/.exec(html)?.[1];
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain(`script-src 'nonce-${nonce}'; connect-src 'self'`);
    expect(html).toMatch(
      /<form id="passkey-form" action="http:\/\/localhost:3000\/auth\/callback\/passkey" method="post" hidden data-live>/,
    );
    expect(html).toContain('autocomplete="username webauthn"');
    const [, src = "", integrity = ""] = /src="([^"]+)" integrity="([^"]+)"/.exec(html) ?? [];
    const script = await app.auth.fetch(new Request(src));
    expect(script.status).toBe(200);
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    const digest = await crypto.subtle.digest("SHA-256", await script.arrayBuffer());
    expect(integrity).toBe(`sha256-${Buffer.from(digest).toString("base64")}`);
  });

  it("has no script where there are no passkeys", async () => {
    const auth = createAuth({
      ...configOf(),
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

  it("says everything in the visitor's language, and an application's name as it is", async () => {
    const read = async (provider: Partial<WebAuthnProvider>) => {
      const app = createPasskeyApp({ provider, config: { plugins: [germanPlugin()] } });
      const headers = { "accept-language": "de", accept: "text/html" };
      const url = "http://localhost:3000/auth/signin";
      return (await app.auth.fetch(new Request(url, { headers }))).text();
    };
    const html = await read({});
    for (const text of [
      ">E-Mail<",
      ">Mit Passkey anmelden<",
      ">Mit Passkey registrieren<",
      ">Passkeys brauchen einen Browser",
      'data-failed="Das hat nicht geklappt.',
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

  it("offers no passkeys where that is not wanted, and no registration", async () => {
    const app = createPasskeyApp({
      provider: { enableConditionalUI: false, registration: "signed-in" },
    });
    const html = await (await app.browser.get("/auth/signin")).text();
    expect(html).toContain('autocomplete="username"');
    expect(html).not.toContain("webauthn");
    expect(html).not.toContain("Register with");
  });
});
