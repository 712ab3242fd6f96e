import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import type { Plugin } from "../../src/kernel.ts";
import { diagnose } from "../../src/testing.ts";
import { type AnyFactory, type AnyProvider, make } from "../providers/_provider.ts";
import { compile } from "./_compile.ts";

const folder = new URL("../../plugins/providers/", import.meta.url);
const ids = readdirSync(folder)
  .filter((file) => /^[^_].*\.ts$/.test(file))
  .map((file) => file.slice(0, -".ts".length));

const factories = new Map<string, AnyFactory>();
for (const id of ids) {
  const module = (await import(`../../plugins/providers/${id}.ts`)) as Record<string, AnyFactory>;
  const name = Object.keys(module).find((key) => key.endsWith("Plugin")) ?? "";
  factories.set(id, module.default ?? module[name]!);
}

/** Options that the environment may set. The type omits them. */
const BY_ENVIRONMENT = ["issuer", "apiKey"];
const SUFFIXES = ["ID", "SECRET", "ISSUER", "KEY"];

/** Options without a default that `settings` omits, because every provider has them. */
const OWN: Readonly<Record<string, object>> = {
  netsuite: { userinfo: "https://api.keyhook.dev/user" },
};

/** Services that have ended: boot refuses them with any options. */
const RETIRED = ["azure-devops", "passage"];

const toVariable = (id: string, suffix: string) =>
  `AUTH_${id.toUpperCase().replaceAll("-", "_")}_${suffix}`;

/** Returns whether boot accepts a provider without options, with everything that the environment may set. */
function boots(id: string, factory: AnyFactory): boolean {
  const { settings = {} } = make(factory, {}).provider as unknown as AnyProvider;
  const { example = "https://issuer.keyhook.dev" } = settings.issuer ?? {};
  const env = {
    NODE_ENV: "test",
    AUTH_SECRET: "a secret for the tests, long enough",
    AUTH_URL: "https://app.keyhook.dev/auth",
    ...Object.fromEntries(SUFFIXES.map((suffix) => [toVariable(id, suffix), "given"])),
    [toVariable(id, "ISSUER")]: typeof example === "string" ? example : "",
  };
  const auth = createAuth({
    env,
    logger: { warn() {}, error() {} },
    experimental: { enableWebAuthn: true },
  })
    .use(memoryStore())
    .use(storeAdapter())
    .use(make(factory, {}) as Plugin);
  return diagnose(auth).faults.length === 0;
}

/** Returns two lines, the second of which is a type error. */
const refused = (call: string) => `// @ts-expect-error -- required\n${call}`;

/** The calls of a factory that its options allow, and those that they refuse. */
function toFile(id: string, factory: AnyFactory): string {
  const { type } = make(factory, {}).provider;
  const { settings = {} } = make(factory, {}).provider as unknown as AnyProvider;
  const required = Object.entries(settings).filter(
    ([name, { required: isRequired }]) => isRequired && !BY_ENVIRONMENT.includes(name),
  );
  const all: Record<string, unknown> = {
    ...Object.fromEntries(required.map(([name, { example }]) => [name, example])),
    ...OWN[id],
  };
  const write = (options: object) => `provider(${JSON.stringify(options)});`;
  const lines = [`import provider from "../../plugins/providers/${id}.ts";`];
  if (required.length) {
    lines.push(refused("provider();"), refused("provider({});"), write(all));
    for (const name of Object.keys(all)) {
      const { [name]: _, ...rest } = all;
      lines.push(
        refused(write(rest)),
        refused(`provider({ ...${JSON.stringify(all)}, ${name}: undefined });`),
      );
    }
  }
  for (const [name, { example }] of Object.entries(settings)) {
    const wrong = typeof example === "object" ? 1 : { wrong: true };
    lines.push(write({ ...all, [name]: example }), refused(write({ ...all, [name]: wrong })));
  }
  if (type === "email") {
    // A service needs a sender, and some need a template, unless the application sends e-mails
    // itself.
    lines.push(write({ from: "a@keyhook.dev" }), "provider({ sendVerificationRequest() {} });");
  } else if (!RETIRED.includes(id) && !required.length) {
    lines.push(boots(id, factory) ? "provider();" : refused("provider();"));
  }
  return `${lines.join("\n")}\nexport {};`;
}

describe("options of the providers in the catalog", () => {
  it("the type requires exactly the options that boot requires", { timeout: 120_000 }, () => {
    const withDefault = ids.filter((id) => id !== "outbox");
    const files = Object.fromEntries(
      withDefault.map((id) => [`provider-${id}`, toFile(id, factories.get(id)!)]),
    );
    expect(
      Object.values(files)
        .join()
        .match(/@ts-expect-error/g)?.length,
    ).toBeGreaterThan(40);
    expect(compile(files).errors).toEqual([]);
  });
});
