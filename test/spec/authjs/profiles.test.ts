import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { standardPreset } from "../../../presets/index.ts";
import { customFetch, type SignInParams } from "../../../src/kernel.ts";
import { createTestAuth } from "../../_app.ts";
import { type AnyFactory, make } from "../../providers/_provider.ts";
import { CLIENT, createStub, type ServiceFacts } from "../../providers/_stub.ts";
import { isInstalled, room } from "./_libraries.ts";
import { hasNextAuth4, loadOld, oldRoom } from "./_next-auth-4.ts";

type Mapping = (profile: unknown, tokens: object) => unknown;

const facts = JSON.parse(
  readFileSync(new URL("../../providers/facts.json", import.meta.url), "utf8"),
) as Record<string, ServiceFacts>;

/** Providers whose profile or account id differs. */
const OTHER: Readonly<Record<string, string>> = {
  bungie: "Auth.js asks for an account whose id nothing states",
  eveonline: "the service that Auth.js uses has ended",
  instagram: "the service that Auth.js uses has ended",
  pinterest: "the user name changes",
  threads: "Auth.js reads a member that the response does not have",
  trakt: "the user name changes",
  vk: "the service that Auth.js uses has ended",
};

const origin = "https://app.example";

/** Signs in with the service that the facts describe. */
async function signIn(id: string, service: ServiceFacts): Promise<SignInParams | undefined> {
  const stub = createStub(service);
  const seen: SignInParams[] = [];
  const { default: factory } = (await import(`../../../plugins/providers/${id}.ts`)) as {
    default: AnyFactory;
  };
  const { clientId, clientSecret } = CLIENT;
  const secret = service.token.auth !== "none" && { clientSecret };
  const options = { clientId, ...secret, [customFetch]: stub.fetch, ...service.options };
  const { browser } = createTestAuth({
    preset: standardPreset,
    env: { NODE_ENV: "test", AUTH_URL: `${origin}/auth` },
    origin,
    providers: [],
    use: [make(factory, options)],
    callbacks: {
      signIn(params) {
        seen.push(params);
        return true;
      },
    },
  });
  const started = await browser.signIn(id);
  const answer = stub.consent(new URL(started.headers.get("location") ?? ""));
  await browser.get(`/auth/callback/${id}?${new URLSearchParams(answer)}`);
  return seen[0];
}

describe.skipIf(!isInstalled)("profiles, mapped by the providers of Auth.js", () => {
  const shared = Object.entries(facts).filter(([id]) =>
    existsSync(new URL(`providers/${id}.js`, room)),
  );

  it.each(shared.filter(([id]) => !(id in OTHER)))(
    "%s: a mapping of Auth.js finds the account's id in the profile of Keyhook",
    async (id, service) => {
      const { default: factory } = await import(new URL(`providers/${id}.js`, room).href);
      const { profile: map = toUser } = factory({ ...CLIENT, ...service.options }) as {
        profile?: Mapping;
      };
      const seen = await signIn(id, service);
      const user = (await map(structuredClone(seen?.profile), { access_token: "token" })) as {
        id: unknown;
      };
      expect(seen?.account?.providerAccountId).toBe(String(user.id));
    },
  );

  it("the providers that differ are among those of Auth.js", () => {
    expect(shared.map(([id]) => id)).toEqual(expect.arrayContaining(Object.keys(OTHER)));
  });
});

/** Providers of next-auth 4 whose account id differs, or that another service has replaced. */
const OTHER_OLD: Readonly<Record<string, string>> = {
  ...OTHER,
  linkedin: "next-auth 4 reads the id of an older API",
  salesforce: "next-auth 4 reads user_id, which the standard claims do not have",
};

describe.skipIf(!hasNextAuth4)("profiles, mapped by the providers of next-auth 4", () => {
  const shared = Object.entries(facts).filter(([id]) =>
    existsSync(new URL(`providers/${id}.js`, oldRoom)),
  );

  it.each(shared.filter(([id]) => !(id in OTHER_OLD)))(
    "%s: a mapping of next-auth 4 finds the account's id in the profile of Keyhook",
    async (id, service) => {
      const { default: factory } = loadOld<{ default: AnyFactory }>(`./providers/${id}.js`);
      // For Twitter, OAuth 1 is the default.
      const options = { ...CLIENT, version: "2.0", ...service.options };
      const { profile: map = toUser } = factory(options as never) as { profile?: Mapping };
      const seen = await signIn(id, service);
      const user = (await map(structuredClone(seen?.profile), { access_token: "token" })) as {
        id: unknown;
      };
      expect(seen?.account?.providerAccountId).toBe(String(user.id));
    },
  );
});

// The default mapping of Auth.js.
const toUser: Mapping = (profile) => {
  const { sub, id } = profile as Record<string, unknown>;
  return { id: sub ?? id };
};
