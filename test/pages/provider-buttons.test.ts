import { expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { credentialsPlugin } from "../../plugins/providers/credentials.ts";
import { emailPlugin } from "../../plugins/providers/email.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { googlePlugin } from "../../plugins/providers/google.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { resendPlugin } from "../../plugins/providers/resend.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import type { Plugin, ProviderEntry } from "../../src/kernel.ts";
import { asPlugin } from "../../src/kernel/providers.ts";
import { createTestAuth } from "../_app.ts";
import { all, parse } from "./_parse.ts";

const look = { name: "Work account", style: { brandColor: "#a1b2c3" } };
const client = { clientId: "id", clientSecret: "secret" };
const sender = { from: "auth@app.example", sendVerificationRequest: async () => {} };

async function getPage(...plugins: Plugin[]) {
  const { browser } = createTestAuth({
    preset: standardPreset,
    plugins: [memoryStore(), storeAdapter(), ...plugins],
    providers: [],
    experimental: { enableWebAuthn: true },
  });
  return parse(await (await browser.get("/auth/signin")).text());
}

it.each([
  ["oauth", githubPlugin({ ...client, ...look })],
  ["oidc", googlePlugin({ ...client, ...look })],
  ["credentials", credentialsPlugin({ ...look, credentials: { user: {} }, authorize: () => null })],
  ["email", emailPlugin({ ...sender, ...look })],
  ["webauthn", passkeyPlugin(look)],
])("the button of a provider of type %s has the provider's name and color", async (_, plugin) => {
  const page = await getPage(plugin);
  const [button] = all(page, "button");
  const className = /\bc\d+\b/.exec(String(button?.class))?.[0];
  expect(page.style).toMatch(new RegExp(`\\.${className}\\{[^}]*#a1b2c3`));
  expect(page.texts.some((text) => text.includes("Work account"))).toBe(true);
});

it("an icon that one application adds does not appear in other applications", async () => {
  const icon = async () => ({ ICON: [{ d: "M1 2L3 4z" }] });
  const draws = async (plugin: Plugin) =>
    all(await getPage(plugin), "path").some(({ d }) => d === "M1 2L3 4z");
  expect(await draws(githubPlugin({ ...client, style: { icon } }))).toBe(true);
  expect(await draws(githubPlugin(client))).toBe(false);
});

it("the name of a mail service is hidden if it is the only e-mail method, because visitors do not know it", async () => {
  const one = await getPage(resendPlugin({ ...sender, apiKey: "key" }));
  expect(one.texts).toContain("Email me a sign-in link");
  const two = await getPage(
    resendPlugin({ ...sender, apiKey: "key" }),
    emailPlugin({ ...sender, name: "Email" }),
  );
  expect(two.texts).toContain("Email me a sign-in link (Resend)");
});

it.each([
  ["a plugin", resendPlugin({ ...sender, apiKey: "key", id: "email" })],
  [
    "a plain object",
    { id: "resend", name: "Resend", type: "email", options: { ...sender, id: "email" } },
  ],
])("the name of a mail service is hidden under a custom id too: %s", async (_, provider) => {
  const page = await getPage({
    name: "mail",
    plugins: [asPlugin(provider as ProviderEntry)],
    setup() {},
  });
  expect(page.texts).toContain("Email me a sign-in link");
});
