import { readdirSync, readFileSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { standardPreset } from "../../presets/index.ts";
import { customFetch } from "../../src/kernel.ts";
import type { Plugin, SignInParams } from "../../src/kernel.ts";
import { createTestAuth } from "../_app.ts";
import { pickCases } from "../_scale.ts";
import { make } from "./_provider.ts";
import type { AnyFactory } from "./_provider.ts";
import { CLIENT, createStub } from "./_stub.ts";
import type { ProfileRequest, ServiceFacts } from "./_stub.ts";

/** The facts were collected independently of the providers: a provider with a wrong field fails here. */
const FACTS = JSON.parse(readFileSync(new URL("facts.json", import.meta.url), "utf8")) as Record<
  string,
  ServiceFacts
>;

const folder = new URL("../../plugins/providers/", import.meta.url);
const ids = readdirSync(folder)
  .filter((file) => /^[^_].*\.ts$/.test(file))
  .map((file) => file.slice(0, -3));
const catalogue = new Map(
  await Promise.all(
    ids.map(async (id) => {
      const module = (await import(`../../plugins/providers/${id}.ts`)) as { default: AnyFactory };
      return [id, module.default] as const;
    }),
  ),
);

/** Tests of providers whose behavior, or protocol, OAuth facts cannot describe. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ["apple", "auth0", "discord", "github", "gitlab", "google", "keycloak", "microsoft-entra-id"]
      .concat("notion", "slack", "twitch", "wechat")
      .map((id) => [`test/providers/${id}.test.ts`, [id]]),
  ),
  // Boot refuses them and names the successor.
  "test/providers/boot.test.ts": ["azure-ad", "azure-devops", "passage"],
  "test/flows/atproto.test.ts": ["bluesky"],
  "test/flows/openid2.test.ts": ["steam"],
  "test/client/client.test.ts": ["credentials"],
  "test/e2e/passkey.test.ts": ["passkey"],
  "test/observability/inspector-sign-in-as.test.ts": ["outbox"],
  "test/flows/webauthn.test.ts": ["webauthn"],
  "test/flows/email-smtp.test.ts": ["email", "nodemailer"],
  "test/providers/email-senders.test.ts": [
    ...["forwardemail", "http-email", "loops", "mailgun", "postmark", "resend"],
    "sendgrid",
  ],
};

/**
 * Providers whose profile is a member of the response. Auth.js has no such provider, has it for
 * another service, or uses the same member.
 */
const ROOTED = new Set(
  "anilist cloudflare donation-alerts gumroad kick linear nextcloud riotgames startgg tiltify tumblr vk withings".split(
    " ",
  ),
);

const origin = "https://app.example";

/** Creates an application with a provider, the service behind it, and a browser. */
function setUp(id: string, facts: ServiceFacts) {
  const stub = createStub(facts);
  const logged: unknown[] = [];
  const seen: SignInParams[] = [];
  const { clientId, clientSecret } = CLIENT;
  const options = {
    clientId,
    ...(facts.token.auth !== "none" && { clientSecret }),
    [customFetch]: stub.fetch,
    ...facts.options,
  };
  const { browser } = createTestAuth({
    preset: standardPreset,
    env: { NODE_ENV: "test", AUTH_URL: `${origin}/auth` },
    origin,
    providers: [],
    logger: { error: (error) => logged.push(error), warn: () => {} },
    callbacks: {
      signIn(params) {
        seen.push(params);
        return true;
      },
    },
    use: [make(catalogue.get(id)!, options) as Plugin],
  });
  return {
    ...stub,
    browser,
    logged,
    seen,
    async start(): Promise<URL> {
      const response = await browser.signIn(id);
      return new URL(response.headers.get("location") ?? "about:blank");
    },
    finish: (answer: Record<string, string>) =>
      browser.get(`/auth/callback/${id}?${new URLSearchParams(answer)}`),
  };
}

type Setup = ReturnType<typeof setUp>;

async function signIn(setup: Setup): Promise<void> {
  await setup.finish(setup.consent(await setup.start()));
  expect(setup.logged, inspect(setup.logged, { depth: 6 })).toEqual([]);
  expect(setup.seen).toHaveLength(1);
}

function pickUser({ seen }: Setup) {
  const { user, account, emailVerified = null } = seen[0]!;
  const { name = null, email = null, image = null } = user;
  return { id: account?.providerAccountId, name, email, image, verified: emailVerified };
}

/** Asserts that there is no session, and that the log names the provider. */
async function expectRefusal(setup: Setup, id: string): Promise<void> {
  const response = await setup.finish(setup.consent(await setup.start()));
  expect(response.headers.get("location")).toContain("error=");
  expect(setup.seen).toEqual([]);
  expect(await setup.browser.session()).toBeNull();
  const [error] = setup.logged as Error[];
  expect(error?.message).toContain(`"${id}"`);
  expect(inspect(setup.logged, { depth: 9 })).not.toContain(CLIENT.clientSecret);
}

/** Returns the object that a path leads to, and the last name. */
function locate(
  facts: ServiceFacts,
  path: string,
): [parent: Record<string, unknown>, name: string] {
  const [request, rest] = /^\d+\//.test(path) ? path.split("/") : ["0", path];
  const names = rest!.split(".");
  const sources = facts.requests ?? [{ answer: facts.claims ?? {} }];
  let parent = sources[Number(request)]!.answer;
  for (const name of names.slice(0, -1)) parent = parent[name] as Record<string, unknown>;
  return [parent, names.at(-1)!];
}

function changed(facts: ServiceFacts, path: string, value: unknown): ServiceFacts {
  const copy = structuredClone(facts);
  const [parent, name] = locate(copy, path);
  if (value === undefined) Reflect.deleteProperty(parent, name);
  else parent[name] = value;
  return copy;
}

const listed = (path: string | undefined) => (path === undefined ? [] : [path]);
const page = () => new Response("<html>", { headers: { "content-type": "text/html" } });

describe("facts of services", () => {
  it("every provider has facts, or its own tests", () => {
    expect([...Object.keys(FACTS), ...Object.values(ELSEWHERE).flat()].toSorted()).toEqual(
      ids.toSorted(),
    );
    for (const [file, own] of Object.entries(ELSEWHERE)) {
      const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
      for (const id of own) expect(text, file).toContain(`providers/${id}.ts`);
    }
  });
});

const IDS = Object.keys(FACTS);

describe.each(Object.entries(FACTS))("%s", (id, facts) => {
  const { token, requests = [], paths, user } = facts;

  it.skipIf(ROOTED.has(id) || !requests.length)(
    `${id}: callbacks and the application's mapping receive the whole response`,
    async () => {
      const setup = setUp(id, facts);
      await signIn(setup);
      expect(setup.seen[0]?.profile).toMatchObject(requests[0]?.answer ?? {});
    },
  );

  it(`${id}: the authorization URL has exactly the parameters of the service`, async () => {
    const setup = setUp(id, facts);
    const url = await setup.start();
    expect(url.origin + url.pathname).toBe(facts.authorize);
    const {
      state,
      nonce,
      code_challenge: challenge,
      code_challenge_method: method,
      ...rest
    } = Object.fromEntries(url.searchParams);
    expect(rest).toEqual({
      [facts.clientIdParam ?? "client_id"]: CLIENT.clientId,
      redirect_uri: `${origin}/auth/callback/${id}`,
      response_type: "code",
      ...facts.params,
    });
    const sent = { nonce, pkce: challenge, state };
    expect(Object.entries(sent).flatMap(([check, value]) => (value ? [check] : []))).toEqual(
      facts.checks,
    );
    expect(method).toBe(facts.checks.includes("pkce") ? (facts.pkce ?? "S256") : undefined);
    expect(setup.received).toEqual([]);
  });

  it(`${id}: signs a user in with the requests of the service`, async () => {
    const setup = setUp(id, facts);
    await signIn(setup);
    expect(pickUser(setup)).toEqual({ ...user, verified: facts.verified });

    const [exchange, ...rest] = setup.received;
    expect(exchange).toMatchObject({ method: "POST", url: token.url });
    expect(exchange?.headers.get("content-type")).toBe(
      token.contentType ?? "application/x-www-form-urlencoded;charset=UTF-8",
    );
    const { code_verifier: verifier, ...body } = Object.fromEntries(
      new URLSearchParams(exchange?.text),
    );
    expect(verifier !== undefined).toBe(facts.checks.includes("pkce"));
    expect(body).toEqual({
      grant_type: "authorization_code",
      code: "the-code",
      redirect_uri: `${origin}/auth/callback/${id}`,
      ...(token.auth !== "basic" && { client_id: CLIENT.clientId }),
      ...(token.auth === "post" && { client_secret: CLIENT.clientSecret }),
      ...token.body,
      ...(token.body?.state !== undefined && { state: expect.stringMatching(/^[\w-]{43}$/) }),
    });
    const { clientId, clientSecret } = CLIENT;
    const encoded = encodeURIComponent(clientSecret).replaceAll("%20", "+");
    const basic = `Basic ${btoa(`${clientId}:${encoded}`)}`;
    expect(exchange?.headers.get("authorization")).toBe(token.auth === "basic" ? basic : null);
    expect(rest.map(({ method, url }) => `${method} ${url}`)).toEqual(
      requests.map(({ method, url }) => `${method} ${url}`),
    );
  });

  for (const path of listed(paths.email)) {
    it(`${id}: signs in a user without an address`, async () => {
      const setup = setUp(id, changed(facts, path, undefined));
      await signIn(setup);
      const { id: account, email } = pickUser(setup);
      expect({ id: account, email }).toEqual({ id: user.id, email: null });
    });
  }

  for (const path of listed(paths.verified)) {
    it(`${id}: an unverified address is reported as unverified`, async () => {
      const setup = setUp(id, changed(facts, path, facts.unverified ?? false));
      await signIn(setup);
      expect(pickUser(setup)).toEqual({ ...user, verified: false });
    });
  }

  for (const { url } of requests.slice(facts.claims && !sharesSubject(facts) ? 0 : 1)) {
    it(`${id}: signs a user in if ${new URL(url).pathname} fails`, async () => {
      const setup = setUp(id, { ...facts, requests: requests.filter((one) => one.url !== url) });
      await signIn(setup);
      expect(pickUser(setup).id).toBe(user.id);
    });
  }

  const refusal = token.refusal ?? { status: 400, body: { error: "invalid_grant" } };
  const broken: Record<string, (setup: Setup) => void> = {
    "a token response that is the service's error": ({ deviation }) => {
      deviation.token = () => Response.json(refusal.body, { status: refusal.status });
    },
    "a token response that is a page": ({ deviation }) => {
      deviation.token = page;
    },
    "a token response without an access token": ({ deviation }) => {
      deviation.token = () => Response.json({ token_type: "bearer" });
    },
    ...(facts.type === "oidc" && {
      "a response without an ID token": ({ deviation }: Setup) => {
        deviation.idToken = () => undefined;
      },
      "an ID token of another issuer": ({ deviation }: Setup) => {
        deviation.idToken = (claims) => ({ ...claims, iss: "https://attacker.example" });
      },
      "an ID token for another client": ({ deviation }: Setup) => {
        deviation.idToken = (claims) => ({ ...claims, aud: "another" });
      },
    }),
    ...(facts.accessToken && {
      "an access token that another key has signed": ({ deviation }: Setup) => {
        deviation.foreignKey = true;
      },
      "an access token for another client": ({ deviation }: Setup) => {
        deviation.accessToken = (claims) => ({ ...claims, aud: "another" });
      },
      "an access token that has expired": ({ deviation }: Setup) => {
        deviation.accessToken = (claims) => ({ ...claims, exp: 1 });
      },
    }),
    ...(needsProfile(facts) && brokenProfiles(requests[0]!, paths.id)),
  };
  for (const [what, breakIt] of pickCases(Object.entries(broken), IDS.indexOf(id))) {
    it(`${id}: refuses ${what}, and names the provider`, async () => {
      const setup = setUp(id, facts);
      breakIt(setup);
      await expectRefusal(setup, id);
    });
  }

  for (const check of facts.checks.filter((one) => one === "state")) {
    it(`${id}: refuses a response with another ${check}`, async () => {
      const setup = setUp(id, facts);
      const answer = setup.consent(await setup.start());
      await setup.finish({ ...answer, state: "of-another-attempt" });
      expect(setup.seen).toEqual([]);
      expect(setup.received).toEqual([]);
    });
  }
});

/** Tests whether the ID token and the first profile request have the same subject. */
function sharesSubject({ claims, requests = [] }: ServiceFacts): boolean {
  return claims?.sub !== undefined && requests[0]?.answer.sub === claims.sub;
}

/** Tests whether a sign-in needs the first profile request. */
function needsProfile(facts: ServiceFacts): boolean {
  return Boolean(facts.requests?.length) && (!facts.claims || sharesSubject(facts));
}

/** Returns the ways in which the profile response can be broken. */
function brokenProfiles({ answer, refusal }: ProfileRequest, idPath?: string) {
  const { status, body } = refusal ?? { status: 401, body: { error: "invalid_token" } };
  const without = structuredClone(answer);
  if (idPath) {
    const [parent, name] = locate({ requests: [{ answer: without }] } as never, idPath);
    Reflect.deleteProperty(parent, name);
  }
  return {
    "a profile response that is the service's error": ({ deviation }: Setup) => {
      deviation.profile = () => Response.json(body, { status });
    },
    "a profile response that is a page": ({ deviation }: Setup) => {
      deviation.profile = page;
    },
    "a profile response that is empty": ({ deviation }: Setup) => {
      deviation.profile = () => Response.json({});
    },
    ...(idPath && {
      "a profile without an id": ({ deviation }: Setup) => {
        deviation.profile = () => Response.json(without);
      },
    }),
  };
}
