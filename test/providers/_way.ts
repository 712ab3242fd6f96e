import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Check } from "../../plugins/flows/oauth/provider.ts";
import { standardPreset } from "../../presets/index.ts";
import { customFetch } from "../../src/kernel.ts";
import type { Account, Plugin, Profile, User } from "../../src/kernel.ts";
import { createTestAuth } from "../_app.ts";
import { make } from "./_provider.ts";
import type { AnyFactory, VendorUser } from "./_provider.ts";
import { clientId, clientSecret, createVendor } from "./_vendor.ts";
import type { Mischief, Way } from "./_vendor.ts";

/** The recorded facts that the sign-in tests need. */
export interface Walk {
  id: string;
  auth?: string | undefined;
  checks: readonly Check[];
  formPost: boolean;
  way: Way;
}

const origin = "https://app.example";
const CHECK_PARAMS = ["state", "nonce", "code_challenge", "code_challenge_method"];

/** Creates an application with this provider, its vendor, and a browser. */
export function setUp(factory: AnyFactory, { id, way, formPost }: Walk, vendorUser: VendorUser) {
  const vendor = createVendor(way, vendorUser);
  const logged: unknown[] = [];
  const signedIn: { user: User; account: Account | null; profile?: Profile }[] = [];
  const options = { clientId, clientSecret, [customFetch]: vendor.fetch, ...way.options };
  const app = createTestAuth({
    preset: standardPreset,
    env: { NODE_ENV: "test", AUTH_URL: `${origin}/auth` },
    origin,
    providers: [],
    logger: { error: (error) => logged.push(error), warn: (...all) => logged.push(all) },
    events: { signIn: (message) => void signedIn.push(message) },
    use: [make(factory, options) as Plugin],
  });
  const { browser, openBrowser } = app;

  return {
    vendor,
    logged,
    signedIn,
    browser,
    openBrowser,
    async startSignIn(): Promise<URL> {
      const response = await browser.signIn(id);
      expect(response.status).toBe(302);
      return new URL(response.headers.get("location")!);
    },
    /** Delivers the vendor's response to the callback. */
    finishSignIn(answer: Record<string, string>, by = browser): Promise<Response> {
      const path = `/auth/callback/${id}`;
      if (!formPost) return by.get(`${path}?${new URLSearchParams(answer)}`);
      return by.post(path, answer, { headers: { origin: "https://vendor.example" } });
    },
  };
}

type Setup = ReturnType<typeof setUp>;

/** Asserts that no session exists and that no secret was logged. */
async function expectRefusal(setup: Setup, response: Response, secrets: string[]) {
  expect(response.status).toBe(302);
  const target = new URL(response.headers.get("location")!, origin);
  expect(target.origin).toBe(origin);
  expect(target.searchParams.get("error")).toMatch(/^[A-Za-z]+$/);
  expect(await setup.browser.session()).toBeNull();
  expect(setup.signedIn).toEqual([]);
  const log = inspect(setup.logged, { depth: 9, maxStringLength: null });
  expect([...secrets, clientSecret].filter((secret) => log.includes(secret))).toEqual([]);
  return target;
}

function pickFields({ name = null, email = null, image = null }: User = {}) {
  return { name, email, image };
}

/**
 * Signs users in through a fake vendor and tests that invalid responses are refused, for every
 * provider.
 */
export function testSignIn(factory: AnyFactory, walk: Walk, users: readonly VendorUser[]): void {
  const { id, way, checks } = walk;
  const isOidc = way.metadata !== undefined;
  const redirectUri = `${origin}/auth/callback/${id}`;
  const vendorUser = users[0]!;
  const accessToken = way.token.answer.access_token as string;

  describe(`${id}: sign-in through a fake vendor`, () => {
    it(`${id}: the authorization request has exactly the recorded parameters`, async () => {
      const { startSignIn, browser, vendor } = setUp(factory, walk, vendorUser);
      const url = await startSignIn();
      expect(url.origin + url.pathname).toBe(way.authorize.url);
      expect(url.hash).toBe(way.authorize.fragment ?? "");
      const { state, nonce, code_challenge, code_challenge_method, ...rest } = Object.fromEntries(
        url.searchParams,
      );
      expect(rest).toEqual({
        [way.authorize.clientIdParam ?? "client_id"]: clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        ...way.authorize.query,
      });
      const secret = checks.includes("state") ? expect.stringMatching(/^[\w-]{43}$/) : undefined;
      expect(state).toEqual(secret);
      if (checks.includes("nonce")) expect(nonce).toMatch(/^[\w-]{43}$/);
      if (!checks.includes("nonce")) expect(nonce).toBeUndefined();
      if (checks.includes("pkce")) expect(code_challenge).toMatch(/^[\w-]{43}$/);
      expect(code_challenge_method).toBe(checks.includes("pkce") ? "S256" : undefined);
      expect([...browser.cookies.keys()].join()).toMatch(/pkce|state/i);
      expect(vendor.asked).toEqual([]);
    });

    for (const one of users) {
      it(`${id}: signs in ${one.about}`, async () => {
        const setup = setUp(factory, walk, one);
        const answer = setup.vendor.consent(await setup.startSignIn());
        const response = await setup.finishSignIn(answer);
        expect(setup.logged).toEqual([]);
        expect(new URL(response.headers.get("location")!).href).toBe(`${origin}/`);

        expect(setup.signedIn).toHaveLength(1);
        const { user, account, profile } = setup.signedIn[0]!;
        expect(account).toMatchObject({ provider: id, providerAccountId: one.user.id });
        expect(account?.access_token).toBe(accessToken);
        expect(pickFields(user)).toEqual(pickFields(one.user));
        expect(profile).toBeDefined();
        const session = await setup.browser.session<{ user: User }>();
        expect(pickFields(session?.user)).toEqual(pickFields(one.user));

        const [token, ...asked] = setup.vendor.asked;
        expect(token).toMatchObject({ method: "POST", url: way.token.url });
        expect(token?.headers.get("accept")).toBe("application/json");
        expect(token?.headers.get("content-type")).toMatch(/^application\/x-www-form-urlencoded/);
        const { code_verifier, ...body } = token!.body;
        if (checks.includes("pkce")) expect(code_verifier).toMatch(/^[\w-]{43}$/);
        else expect(code_verifier).toBeUndefined();
        expect(body).toEqual({
          grant_type: "authorization_code",
          code: answer.code,
          redirect_uri: redirectUri,
          ...(walk.auth !== undefined && { client_id: clientId }),
          ...(walk.auth === "client_secret_post" && { client_secret: clientSecret }),
          ...way.token.body,
        });
        // Only reserved characters are encoded, because many vendors do not decode the parts.
        const basic = btoa(`${clientId}:${encodeURIComponent(clientSecret)}`);
        expect(token?.headers.get("authorization")).toBe(
          walk.auth === undefined ? `Basic ${basic}` : null,
        );

        const urls = [
          ...(way.userinfo ? [way.userinfo.url] : []),
          ...Object.keys(one.enriched ?? {}),
        ];
        expect(asked.map(({ url, method }) => `${method} ${url}`)).toEqual(
          urls.map((url) => `GET ${url}`),
        );
        for (const { headers } of asked) {
          const bearer = way.userinfo?.bearer === false ? null : `Bearer ${accessToken}`;
          expect(headers.get("authorization")).toBe(bearer);
          for (const [header, value] of Object.entries(way.userinfo?.headers ?? {})) {
            expect(headers.get(header)).toBe(value);
          }
        }
      });
    }

    it(`${id}: refuses another code, state or issuer`, async () => {
      for (const change of [
        { code: "stolen" },
        { state: "foreign" },
        ...(way.callback?.iss ? [{ iss: "https://attacker.example" }] : []),
      ]) {
        const setup = setUp(factory, walk, vendorUser);
        const answer = setup.vendor.consent(await setup.startSignIn());
        await expectRefusal(setup, await setup.finishSignIn({ ...answer, ...change }), [
          answer.code!,
          answer.state ?? answer.code!,
        ]);
        if (!("code" in change)) expect(setup.vendor.asked).toEqual([]);
      }
    });

    for (const check of checks.filter((one) => one === "state")) {
      it(`${id}: refuses a response without its ${check}`, async () => {
        const setup = setUp(factory, walk, vendorUser);
        const { state: _, ...answer } = setup.vendor.consent(await setup.startSignIn());
        await expectRefusal(setup, await setup.finishSignIn(answer), [answer.code!]);
        expect(setup.vendor.asked).toEqual([]);
      });
    }

    it(`${id}: accepts a response once`, async () => {
      const again = setUp(factory, walk, vendorUser);
      const good = again.vendor.consent(await again.startSignIn());
      const cookies = new Map(again.browser.cookies);
      await again.finishSignIn(good);
      expect(again.signedIn).toHaveLength(1);
      await again.finishSignIn(good);
      expect(again.signedIn).toHaveLength(1);
      // The same with the old cookies. The vendor accepts a code only once.
      for (const [name, value] of cookies) again.browser.cookies.set(name, value);
      await again.finishSignIn(good);
      expect(again.signedIn).toHaveLength(1);
    });

    it(`${id}: refuses a response in a browser that did not start the sign-in`, async () => {
      const setup = setUp(factory, walk, vendorUser);
      const answer = setup.vendor.consent(await setup.startSignIn());
      const victim = setup.openBrowser();
      const response = await setup.finishSignIn(answer, victim);
      expect(response.headers.get("location")).toContain("error=");
      expect(await victim.session()).toBeNull();
      expect(setup.vendor.asked).toEqual([]);
    });

    // Without PKCE and nonce, only the state binds a code to its browser.
    for (const tie of checks.filter((check) => check !== "state").slice(0, 1)) {
      it(`${id}: refuses the code of another attempt by the ${tie} check`, async () => {
        const setup = setUp(factory, walk, vendorUser);
        const stolen = setup.vendor.consent(await setUp(factory, walk, vendorUser).startSignIn());
        const own = setup.vendor.consent(await setup.startSignIn());
        const response = await setup.finishSignIn({ ...own, code: stolen.code! });
        await expectRefusal(setup, response, [stolen.code!]);
      });
    }

    it(`${id}: redirects with OAuthCallbackError when the user refuses consent`, async () => {
      const setup = setUp(factory, walk, vendorUser);
      const { code, ...answer } = setup.vendor.consent(await setup.startSignIn());
      const target = await expectRefusal(
        setup,
        await setup.finishSignIn({ ...answer, error: "access_denied" }),
        [code!],
      );
      expect(target.pathname).toBe("/auth/signin");
      expect(target.searchParams.get("error")).toBe("OAuthCallbackError");
    });

    const spoilt: Record<string, Mischief> = {
      "a token response that is an error": {
        token: () => Response.json(way.refusal.body, { status: way.refusal.status }),
      },
      "a token response that is an HTML page": {
        token: () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      },
      "a token response with status 503": { token: () => new Response(null, { status: 503 }) },
      "a token response without an access token": {
        token: () => Response.json({ token_type: "bearer" }),
      },
      "a token response that redirects": {
        token: () =>
          new Response(null, { status: 307, headers: { location: "https://attacker.example" } }),
      },
      ...(way.userinfo && {
        "a userinfo response that is an error": {
          userinfo: () =>
            Response.json(way.refusalOfUserinfo?.body ?? { message: "Bad credentials" }, {
              status: way.refusalOfUserinfo?.status ?? 401,
            }),
        },
        "a userinfo response with status 500": {
          userinfo: () => Response.json(vendorUser.answer, { status: 500 }),
        },
        "a profile without an id": { userinfo: () => Response.json({}) },
        "a profile that is an array": { userinfo: () => Response.json([vendorUser.answer]) },
        "a userinfo response that is an HTML page": {
          userinfo: () => new Response("<html>", { headers: { "content-type": "text/html" } }),
        },
        "a userinfo response that redirects": {
          userinfo: () =>
            new Response(null, { status: 302, headers: { location: "https://attacker.example" } }),
        },
      }),
      ...(isOidc && {
        "a missing ID token": { idToken: () => "" },
        "an ID token signed by another key": { foreignKey: true },
        "an unsigned ID token": {
          idToken: (idToken) =>
            `${btoa('{"alg":"none"}').replaceAll("=", "")}.${idToken.split(".")[1]}.`,
        },
        "an ID token whose claims were changed": {
          idToken: (idToken) => {
            const [header, payload, signature] = idToken.split(".");
            const claims = JSON.parse(Buffer.from(payload!, "base64url").toString()) as object;
            const changed = Buffer.from(JSON.stringify({ ...claims, sub: "admin" }));
            return [header, changed.toString("base64url"), signature].join(".");
          },
        },
        "an ID token for another audience": { claims: (claims) => ({ ...claims, aud: "other" }) },
        "an ID token of another issuer": {
          claims: (claims) => ({ ...claims, iss: "https://attacker.example" }),
        },
        "an expired ID token": {
          claims: (claims) => ({ ...claims, exp: Number(claims.iat) - 600, iat: 1 }),
        },
        "an ID token without a subject": { claims: ({ sub: _, ...claims }) => claims },
        "an ID token without an expiry": { claims: ({ exp: _, ...claims }) => claims },
      }),
      ...Object.fromEntries(
        Object.entries(way.refusedClaims ?? {}).map(([what, claims]) => [what, { claims }]),
      ),
      ...(checks.includes("nonce") && {
        "an ID token with the nonce of another attempt": {
          claims: (claims) => ({ ...claims, nonce: "other" }),
        },
        "an ID token without a nonce": { claims: ({ nonce: _, ...claims }) => claims },
        "an ID token with an empty nonce": { claims: (claims) => ({ ...claims, nonce: "" }) },
      }),
    };
    for (const [what, mischief] of Object.entries(spoilt)) {
      it(`${id}: refuses ${what}`, async () => {
        const setup = setUp(factory, walk, vendorUser);
        Object.assign(setup.vendor.mischief, mischief);
        const answer = setup.vendor.consent(await setup.startSignIn());
        const secrets = [
          answer.code!,
          accessToken,
          ...(vendorUser.user.email ? [vendorUser.user.email] : []),
        ];
        await expectRefusal(setup, await setup.finishSignIn(answer), secrets);
        expect(setup.logged).not.toEqual([]);
      });
    }

    const failedEnrichments: Record<string, () => Response> = {
      "responds with 403": () => Response.json({ message: "no" }, { status: 403 }),
      redirects: () =>
        new Response(null, { status: 302, headers: { location: "https://attacker.example" } }),
      fails: () => {
        throw new TypeError("fetch failed");
      },
    };
    for (const [how, enriched] of vendorUser.enriched ? Object.entries(failedEnrichments) : []) {
      it(`${id}: signs in without the enriched data when that request ${how}`, async () => {
        const setup = setUp(factory, walk, vendorUser);
        setup.vendor.mischief.enriched = enriched;
        await setup.finishSignIn(setup.vendor.consent(await setup.startSignIn()));
        expect(setup.signedIn).toHaveLength(1);
        expect(setup.signedIn[0]?.account?.providerAccountId).toBe(vendorUser.user.id);
      });
    }

    it(`${id}: the caller cannot set the parameters that bind the response to the request`, async () => {
      const { browser } = setUp(factory, walk, vendorUser);
      const csrfToken = await browser.csrfToken();
      const names = [...CHECK_PARAMS, "client_id", "appid", "redirect_uri", "response_type"];
      const hostile = new URLSearchParams(names.map((name) => [name, "https://attacker.example"]));
      const response = await browser.post(`/auth/signin/${id}?${hostile}&scope=admin`, {
        csrfToken,
      });
      const url = new URL(response.headers.get("location")!);
      expect(url.href).not.toContain("attacker");
      expect(url.searchParams.get("scope") ?? undefined).toBe(way.authorize.query.scope);
      expect(url.searchParams.get("redirect_uri")).toBe(redirectUri);
    });
  });
}
