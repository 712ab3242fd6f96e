import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createAuth } from "../../presets/index.ts";
import type { Plugin } from "../../src/kernel.ts";
import { make, requiredOptions, resolve } from "./_provider.ts";
import type { AnyFactory, AnyProvider } from "./_provider.ts";

const folder = new URL("../../plugins/providers/", import.meta.url);
const ids = readdirSync(folder)
  // The outbox is an additional service, for development.
  .filter((file) => file.endsWith(".ts") && file !== "outbox.ts")
  .map((file) => file.slice(0, -".ts".length));

const catalogue = await Promise.all(
  ids.map(async (id) => {
    const module = (await import(`../../plugins/providers/${id}.ts`)) as Record<string, AnyFactory>;
    const source = readFileSync(new URL(`${id}.ts`, folder), "utf8");
    return { id, module, source, factory: module.default! };
  }),
);

/** Lists every string of a provider with its path. */
function listTexts(value: unknown, path: string): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => listTexts(inner, `${path}.${key}`));
}

/** Resolves a provider with its required options. */
function resolveUsable(factory: AnyFactory) {
  return resolve(make(factory, requiredOptions(factory)) as Plugin);
}

/** Services that have ended: boot refuses them. */
const RETIRED = ["azure-devops", "passage"];

/** OpenID Connect without PKCE whose ID tokens have no nonce either: only the state binds their responses. */
const WITHOUT_NONCE = ["intuit", "linkedin", "riotgames"];

/** Providers whose profile endpoint belongs to the application. */
const WITHOUT_ENDPOINT = ["netsuite"];

const isOAuth = ({ type }: { type: string }) => type === "oauth" || type === "oidc";

describe("provider catalog", () => {
  it("an endpoint given as a URL keeps what the provider defines of it", () => {
    const names = ["authorization", "token", "userinfo", "endSession", "revocation"] as const;
    let seen = 0;
    for (const { id, factory } of catalogue) {
      const required = requiredOptions(factory);
      const defined = make(factory, required).provider as unknown as Record<string, unknown>;
      for (const name of names) {
        const { [name]: before } = defined;
        if (typeof before !== "object" || before === null) continue;
        seen++;
        const url = "https://other.example/endpoint";
        const { provider } = make(factory, { ...required, [name]: url });
        const { [name]: after } = provider as unknown as Record<string, object>;
        expect(after, `${id}: ${name}`).toMatchObject({ url });
        expect(Object.keys(after ?? {}), `${id}: ${name}`).toEqual(
          expect.arrayContaining(Object.keys(before)),
        );
      }
    }
    expect(seen).toBeGreaterThan(100);
  });

  it("provider ids are unique and match their file names", () => {
    const found = catalogue.map(({ factory }) => make(factory).provider.id);
    expect(found.toSorted()).toEqual([...new Set(found)].toSorted());
    expect(found).toEqual(ids);
  });

  it("one application accepts all OAuth providers of the catalog", async () => {
    const auth = createAuth({
      env: {
        AUTH_SECRET: "a secret for the tests, long enough",
        AUTH_URL: "https://app.example/auth",
      },
    });
    const oauth = catalogue.filter(
      ({ id, factory }) => isOAuth(make(factory).provider) && !RETIRED.includes(id),
    );
    for (const { id, factory } of oauth) {
      auth.use(
        make(factory, {
          clientId: "id",
          clientSecret: "secret",
          ...requiredOptions(factory),
          ...(WITHOUT_ENDPOINT.includes(id) && { userinfo: "https://api.example/user" }),
        }),
      );
    }
    const response = await auth.fetch(new Request("https://app.example/auth/providers"));
    const listed = (await response.json()) as Record<string, { callbackUrl: string }>;
    expect(Object.keys(listed)).toEqual(oauth.map(({ id }) => id));
    for (const { id } of oauth) {
      expect(listed[id]?.callbackUrl).toBe(`https://app.example/auth/callback/${id}`);
    }
  });

  it("provider names are unique", () => {
    const found = catalogue.map(({ factory }) => make(factory).provider.name);
    expect(found).toEqual([...new Set(found)]);
  });
});

describe.each(catalogue)("catalog entry $id", ({ id, module, source, factory }) => {
  const plugin = make(factory);

  it(`${id}: the module exports the plugin by name and as default, and nothing else`, () => {
    const name = id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const names = Object.keys(module).filter((key) => key !== "default");
    // An identifier cannot begin with a digit.
    expect(names).toEqual([expect.stringMatching(/^\d/.test(id) ? /Plugin$/ : `${name}Plugin`)]);
    expect(module[names[0]!]).toBe(module.default);
    expect(module.default?.name, "for the message about a forgotten call").toBe(
      /^\d/.test(id) ? "" : names[0],
    );
  });

  it(`${id}: plugin name and provides are the kebab-case id`, () => {
    expect(id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(plugin.name).toBe(id);
    expect(plugin.provides).toEqual([`provider:${id}`]);
    expect(plugin.provider.name).toMatch(/\S/);
    // E-mail providers have no button, and for some brands the color is unknown.
    if (plugin.provider.style)
      expect(plugin.provider.style.brandColor).toMatch(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i);
    expect(Object.keys(plugin.provider.style ?? {})).not.toContain("bg");
  });

  it(`${id}: the doc comment names the callback URL and the environment variables`, () => {
    if (!isOAuth(plugin.provider)) return;
    const doc = source
      .slice(0, source.search(/Plugin: ProviderFactory/))
      .split("/**")
      .at(-1);
    expect(doc).toContain(`\`/auth/callback/${id}\``);
    const prefix = `AUTH_${id.toUpperCase().replaceAll("-", "_")}`;
    expect(doc).toContain(`\`${prefix}_ID\``);
    expect(doc).toMatch(new RegExp(`\`(${prefix})?_SECRET\``));
  });

  it(`${id}: every exported type has a doc comment`, () => {
    const lines = source.split("\n");
    const bare = lines.filter(
      (line, at) => /^export (interface|type|const)/.test(line) && !lines[at - 1]?.endsWith("*/"),
    );
    expect(bare).toEqual([]);
  });

  it(`${id}: strings contain no unset values, only https URLs and only known placeholders`, () => {
    const { settings: _, ...provider } = resolveUsable(factory);
    // A GraphQL query has its own braces.
    const texts = listTexts(provider, id).filter(
      ([path]) => !path.endsWith(".userinfo.body.query"),
    );
    expect(texts.filter(([, text]) => /undefined|null|NaN|\[object/.test(text))).toEqual([]);
    const urls = texts.filter(([, text]) => text.includes("://"));
    expect(urls.filter(([, text]) => !/^https:\/\/[\w.-]+(:\d+)?(\/|$)/.test(text))).toEqual([]);
    const known =
      /^(clientId|clientSecret|issuer|access_token|apiKey|did|domain|id|tokens\.\w+|profile\.\w+|tid)$/;
    const placeholders = texts.flatMap(([, text]) => text.match(/\{[^}]*\}?/g) ?? []);
    expect(placeholders.filter((text) => !known.test(text.slice(1, -1)))).toEqual([]);
  });

  it(`${id}: two instances share no objects`, () => {
    const one = resolve(plugin);
    const other = resolve(make(factory));
    const objects = (provider: AnyProvider) =>
      Object.values(provider).filter((value) => typeof value === "object" && value !== null);
    const mine = new Set(objects(one));
    expect(objects(other).filter((value) => mine.has(value))).toEqual([]);
  });

  // SECURITY.md R9: checks are not optional. A provider whose server ignores PKCE must use `state`,
  // and `nonce` when there is an ID token to carry it.
  it(`${id}: the checks bind the response to its request`, () => {
    const provider = resolve(plugin);
    if (!isOAuth(provider)) return;
    const checks = provider.checks ?? ["pkce"];
    const known = provider.type === "oidc" ? ["pkce", "state", "nonce"] : ["pkce", "state"];
    expect(checks.filter((check) => !known.includes(check))).toEqual([]);
    expect(checks).toEqual([...new Set(checks)]);
    if (checks.includes("pkce")) return;
    expect(checks).toContain("state");
    if (provider.type === "oidc" && !WITHOUT_NONCE.includes(id)) expect(checks).toContain("nonce");
  });

  it(`${id}: declares its endpoints when they cannot be discovered`, () => {
    const provider = resolve(plugin);
    if (provider.type !== "oauth" || RETIRED.includes(id)) return;
    expect(provider.authorization?.url).toBeDefined();
    expect(provider.token?.url ?? provider.token?.request).toBeDefined();
    const { url, request, from } = provider.userinfo ?? {};
    if (!WITHOUT_ENDPOINT.includes(id)) expect(url ?? request ?? from).toBeDefined();
    expect(provider.profile).toBeDefined();
  });

  // R6: a string such as "undefined" as id would be shared by all users.
  it(`${id}: profile() returns no id for an empty profile`, async () => {
    const { profile } = resolve(plugin);
    if (!profile) return;
    const user = await (async () => profile({}, {}))().catch(() => undefined);
    // The flow refuses an empty id.
    expect(user?.id || undefined).toBeUndefined();
  });
});
