import { expect, it } from "vitest";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { listBootFaults, ORIGIN, type TestAuthOptions } from "../_app.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { client, HERE, THERE } from "./_limits.ts";

const OPTIONS = "/auth/webauthn-options/passkey";

function createApp(
  rules: NonNullable<Exclude<Parameters<typeof rateLimit>[0], false>>["rules"] = {},
  passkey: TestAuthOptions["passkey"] = {},
) {
  const app = createPasskeyApp({ errors: "allowed", plugins: [rateLimit({ rules })], passkey });
  const from = (ip: string) =>
    createBrowser(
      async (request) => (await app.auth.handle(request, { ip })) ?? new Response(null),
      { origin: ORIGIN },
    );
  const ask = async (ip: string, query: Record<string, string>) =>
    (await from(ip).get(`${OPTIONS}?${new URLSearchParams(query)}`)).status;
  return { ...app, from, ask };
}

it("registrations that claim one address are limited, from all clients together", async () => {
  const { ask } = createApp();
  const query = { action: "register", email: "ada@example.com" };
  for (let at = 0; at < 10; at++) expect(await ask(client(at), query)).toBe(200);
  expect(await ask(client(10), query)).toBe(429);
  expect(await ask(client(10), { ...query, email: "ADA@example.com" })).toBe(429);
  expect(await ask(client(10), { ...query, email: "eve@example.com" })).toBe(200);
});

it("a registration with an additional address is refused, because only one address would be counted", async () => {
  const { from } = createApp();
  const ask = async (at: number) => {
    const query = `action=register&email=${at}@x.example&email=ada@example.com`;
    return (await from(client(at)).get(`${OPTIONS}?${query}`)).json();
  };
  expect(await ask(1)).toEqual({ error: "Invalid request" });
});

it("registrations of one client are limited, whatever address they claim", async () => {
  const { ask } = createApp({ "passkey-client": { max: 3 } });
  for (const name of ["a", "b", "c"])
    expect(await ask(HERE, { action: "register", email: `${name}@example.com` })).toBe(200);
  expect(await ask(HERE, { action: "register", email: "d@example.com" })).toBe(429);
  expect(await ask(THERE, { action: "register", email: "d@example.com" })).toBe(200);
});

it("sign-ins by passkey are not limited by the rules of registrations", async () => {
  const { ask } = createApp({ "passkey-client": { max: 1 }, "passkey-account": { max: 1 } });
  for (let at = 0; at < 5; at++) expect(await ask(HERE, { action: "authenticate" })).toBe(200);
  for (let at = 0; at < 5; at++) expect(await ask(HERE, {})).toBe(200);
});

it("registrations without an address are limited only by client: one visitor does not lock out others", async () => {
  const { ask } = createApp(
    {},
    { getUserInfo: (_, { query }) => ({ user: { name: query.username ?? "" }, exists: false }) },
  );
  for (let at = 0; at < 10; at++)
    expect(await ask(HERE, { action: "register", username: `eve-${at}` })).toBe(200);
  expect(await ask(THERE, { action: "register", username: "ada" })).toBe(200);
});

it("registrations with another field than an address are limited by that field", async () => {
  const { ask } = createApp(
    {},
    {
      formFields: { username: { autocomplete: "username webauthn" } },
      getUserInfo: (_, { query }) => ({ user: { name: query.username ?? "" }, exists: false }),
    },
  );
  const query = (at: number) => ({ action: "register", username: "ada", email: `${at}@x.example` });
  for (let at = 0; at < 10; at++) expect(await ask(client(at), query(at))).toBe(200);
  expect(await ask(client(10), query(10))).toBe(429);
  expect(await ask(client(10), { action: "register", username: "eve" })).toBe(200);
});

const username = { autocomplete: "username webauthn" };
it.each<[string, NonNullable<TestAuthOptions["passkey"]>]>([
  ["the first field", { formFields: { username, email: {} } }],
  ["a field", { formFields: { username } }],
  [
    "the first field of an application that reads it itself",
    {
      formFields: { username, email: {} },
      getUserInfo: (_, { query }) => ({ user: { email: query.email ?? "" }, exists: false }),
    },
  ],
])("registrations are limited by their address even if it is not %s", async (_, passkey) => {
  const { ask } = createApp({}, passkey);
  const query = (at: number, email = "ada@example.com") => ({
    action: "register",
    username: `eve-${at}`,
    email,
  });
  for (let at = 0; at < 10; at++) expect(await ask(client(at), query(at))).toBe(200);
  expect(await ask(client(10), query(10))).toBe(429);
  expect(await ask(client(10), query(1, "eve@example.com"))).toBe(200);
});

it("a registration of a signed-in user counts for that user, not for a claimed address", async () => {
  const app = createApp({ "passkey-account": { max: 2 } });
  await app.register("ada@example.com");
  const query = { action: "register", email: "eve@example.com" };
  const url = `${OPTIONS}?${new URLSearchParams(query)}`;
  for (let at = 0; at < 2; at++) expect((await app.browser.get(url)).status).toBe(200);
  expect((await app.browser.get(url)).status).toBe(429);
  expect(await app.ask(THERE, query)).toBe(200);
});

it("a rule's `query` must have text values", () => {
  const rules = { "passkey-client": { query: { action: 1 } } } as never;
  expect(listBootFaults(createApp(rules))).toEqual([
    expect.stringContaining(
      '"passkey-client" of rateLimit has a `query` whose values are not all strings',
    ),
  ]);
});
