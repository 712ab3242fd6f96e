import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createAuth } from "../../presets/index.ts";
import { customFetch } from "../../src/index.ts";
import type { Account, Check, Plugin, Profile, User } from "../../src/index.ts";
import { createBrowser } from "../../src/testing.ts";
import { make } from "./_provider.ts";
import type { AnyFactory, Person } from "./_provider.ts";
import { clientId, clientSecret, createVendor } from "./_vendor.ts";
import type { Mischief, Way } from "./_vendor.ts";

/** What the way needs of the recorded facts. */
export interface Walk {
  id: string;
  auth?: string | undefined;
  checks: readonly Check[];
  formPost: boolean;
  way: Way;
}

const origin = "https://app.example";
const CHECK_PARAMS = ["state", "nonce", "code_challenge", "code_challenge_method"];

/** An application with this provider, its vendor, and a browser. */
export function setUp(factory: AnyFactory, { id, way, formPost }: Walk, person: Person) {
  const vendor = createVendor(way, person);
  const logged: unknown[] = [];
  const signedIn: { user: User; account: Account | null; profile?: Profile }[] = [];
  const options = { clientId, clientSecret, [customFetch]: vendor.fetch, ...way.options };
  const auth = createAuth({
    env: { AUTH_URL: `${origin}/auth`, AUTH_SECRET: "a secret for the tests, long enough" },
    logger: { error: (error) => logged.push(error), warn: (...all) => logged.push(all) },
    events: { signIn: (message) => void signedIn.push(message) },
  }).use(make(factory, options) as Plugin);
  const browser = createBrowser(auth.fetch, { origin });

  return {
    vendor,
    logged,
    signedIn,
    browser,
    anotherBrowser: () => createBrowser(auth.fetch, { origin }),
    async start(): Promise<URL> {
      const response = await browser.signIn(id);
      expect(response.status).toBe(302);
      return new URL(response.headers.get("location")!);
    },
    /** Comes back from the vendor. */
    finish(answer: Record<string, string>, by = browser): Promise<Response> {
      const path = `/auth/callback/${id}`;
      if (!formPost) return by.get(`${path}?${new URLSearchParams(answer)}`);
      return by.post(path, answer, { headers: { origin: "https://vendor.example" } });
    },
  };
}

type Setup = ReturnType<typeof setUp>;

/** Nobody is let in, and nothing that was secret is logged. */
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

function faceOf({ name = null, email = null, image = null }: User = {}) {
  return { name, email, image };
}

/** Signs people in through a fake vendor, and tries what must not work: with every provider the same. */
export function testWay(factory: AnyFactory, walk: Walk, people: readonly Person[]): void {
  const { id, way, checks } = walk;
  const isOidc = way.metadata !== undefined;
  const redirectUri = `${origin}/auth/callback/${id}`;
  const person = people[0]!;
  const accessToken = way.token.answer.access_token as string;

  describe("on the full way", () => {
    it("asks for consent with exactly these parameters", async () => {
      const { start, browser, vendor } = setUp(factory, walk, person);
      const url = await start();
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

    for (const one of people) {
      it(`lets in ${one.about}`, async () => {
        const setup = setUp(factory, walk, one);
        const answer = setup.vendor.consent(await setup.start());
        const response = await setup.finish(answer);
        expect(setup.logged).toEqual([]);
        expect(new URL(response.headers.get("location")!).href).toBe(`${origin}/`);

        expect(setup.signedIn).toHaveLength(1);
        const { user, account, profile } = setup.signedIn[0]!;
        expect(account).toMatchObject({ provider: id, providerAccountId: one.user.id });
        expect(account?.access_token).toBe(accessToken);
        expect(faceOf(user)).toEqual(faceOf(one.user));
        expect(profile).toBeDefined();
        const session = await setup.browser.session<{ user: User }>();
        expect(faceOf(session?.user)).toEqual(faceOf(one.user));

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
        // Only what must be: many vendors take the parts as they come.
        const basic = btoa(`${clientId}:${encodeURIComponent(clientSecret)}`);
        expect(token?.headers.get("authorization")).toBe(
          walk.auth === undefined ? `Basic ${basic}` : null,
        );

        const urls = [
          ...(way.userinfo ? [way.userinfo.url] : []),
          ...Object.keys(one.beside ?? {}),
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

    it("refuses a foreign code, state or issuer", async () => {
      for (const change of [
        { code: "stolen" },
        { state: "foreign" },
        ...(way.callback?.iss ? [{ iss: "https://attacker.example" }] : []),
      ]) {
        const setup = setUp(factory, walk, person);
        const answer = setup.vendor.consent(await setup.start());
        await expectRefusal(setup, await setup.finish({ ...answer, ...change }), [
          answer.code!,
          answer.state ?? answer.code!,
        ]);
        if (!("code" in change)) expect(setup.vendor.asked).toEqual([]);
      }
    });

    for (const check of checks.filter((one) => one === "state")) {
      it(`refuses an answer without its ${check}`, async () => {
        const setup = setUp(factory, walk, person);
        const { state: _, ...answer } = setup.vendor.consent(await setup.start());
        await expectRefusal(setup, await setup.finish(answer), [answer.code!]);
        expect(setup.vendor.asked).toEqual([]);
      });
    }

    it("takes an answer once", async () => {
      const again = setUp(factory, walk, person);
      const good = again.vendor.consent(await again.start());
      const cookies = new Map(again.browser.cookies);
      await again.finish(good);
      expect(again.signedIn).toHaveLength(1);
      await again.finish(good);
      expect(again.signedIn).toHaveLength(1);
      // Even with the old cookies: the vendor takes no code twice.
      for (const [name, value] of cookies) again.browser.cookies.set(name, value);
      await again.finish(good);
      expect(again.signedIn).toHaveLength(1);
    });

    it("refuses an answer in a browser that never asked", async () => {
      const setup = setUp(factory, walk, person);
      const answer = setup.vendor.consent(await setup.start());
      const victim = setup.anotherBrowser();
      const response = await setup.finish(answer, victim);
      expect(response.headers.get("location")).toContain("error=");
      expect(await victim.session()).toBeNull();
      expect(setup.vendor.asked).toEqual([]);
    });

    // Without PKCE and nonce nothing ties a code to its browser but the state beside it.
    for (const tie of checks.filter((check) => check !== "state").slice(0, 1)) {
      it(`refuses a code that was given to another attempt, by its ${tie}`, async () => {
        const setup = setUp(factory, walk, person);
        const stolen = setup.vendor.consent(await setUp(factory, walk, person).start());
        const own = setup.vendor.consent(await setup.start());
        const response = await setup.finish({ ...own, code: stolen.code! });
        await expectRefusal(setup, response, [stolen.code!]);
      });
    }

    it("reports a refused consent", async () => {
      const setup = setUp(factory, walk, person);
      const { code, ...answer } = setup.vendor.consent(await setup.start());
      const target = await expectRefusal(
        setup,
        await setup.finish({ ...answer, error: "access_denied" }),
        [code!],
      );
      expect(target.pathname).toBe("/auth/signin");
      expect(target.searchParams.get("error")).toBe("OAuthCallbackError");
    });

    const spoilt: Record<string, Mischief> = {
      "a token answer that is an error": {
        token: () => Response.json(way.refusal.body, { status: way.refusal.status }),
      },
      "a token answer that is a page": {
        token: () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      },
      "a token answer that fails": { token: () => new Response(null, { status: 503 }) },
      "a token answer without a token": { token: () => Response.json({ token_type: "bearer" }) },
      "a token answer that leads elsewhere": {
        token: () =>
          new Response(null, { status: 307, headers: { location: "https://attacker.example" } }),
      },
      ...(way.userinfo && {
        "a profile that is an error": {
          userinfo: () =>
            Response.json(way.refusalOfUserinfo?.body ?? { message: "Bad credentials" }, {
              status: way.refusalOfUserinfo?.status ?? 401,
            }),
        },
        "a profile that is there, but with a bad status": {
          userinfo: () => Response.json(person.answer, { status: 500 }),
        },
        "a profile without an id": { userinfo: () => Response.json({}) },
        "a profile that is a list": { userinfo: () => Response.json([person.answer]) },
        "a profile that is a page": {
          userinfo: () => new Response("<html>", { headers: { "content-type": "text/html" } }),
        },
        "a profile that leads elsewhere": {
          userinfo: () =>
            new Response(null, { status: 302, headers: { location: "https://attacker.example" } }),
        },
      }),
      ...(isOidc && {
        "no ID token": { idToken: () => "" },
        "an ID token of a foreign key": { foreignKey: true },
        "an ID token that nobody signed": {
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
        "an ID token for somebody else": { claims: (claims) => ({ ...claims, aud: "other" }) },
        "an ID token of somebody else": {
          claims: (claims) => ({ ...claims, iss: "https://attacker.example" }),
        },
        "an ID token that has expired": {
          claims: (claims) => ({ ...claims, exp: Number(claims.iat) - 600, iat: 1 }),
        },
        "an ID token about nobody": { claims: ({ sub: _, ...claims }) => claims },
        "an ID token without an expiry": { claims: ({ exp: _, ...claims }) => claims },
      }),
      ...Object.fromEntries(
        Object.entries(way.refusedClaims ?? {}).map(([what, claims]) => [what, { claims }]),
      ),
      ...(checks.includes("nonce") && {
        "an ID token of another attempt": { claims: (claims) => ({ ...claims, nonce: "other" }) },
        "an ID token of no attempt": { claims: ({ nonce: _, ...claims }) => claims },
        "an ID token with an empty nonce": { claims: (claims) => ({ ...claims, nonce: "" }) },
      }),
    };
    for (const [what, mischief] of Object.entries(spoilt)) {
      it(`refuses ${what}`, async () => {
        const setup = setUp(factory, walk, person);
        Object.assign(setup.vendor.mischief, mischief);
        const answer = setup.vendor.consent(await setup.start());
        const secrets = [
          answer.code!,
          accessToken,
          ...(person.user.email ? [person.user.email] : []),
        ];
        await expectRefusal(setup, await setup.finish(answer), secrets);
        expect(setup.logged).not.toEqual([]);
      });
    }

    const spoiltBeside: Record<string, () => Response> = {
      "is refused": () => Response.json({ message: "no" }, { status: 403 }),
      "leads elsewhere": () =>
        new Response(null, { status: 302, headers: { location: "https://attacker.example" } }),
      fails: () => {
        throw new TypeError("fetch failed");
      },
    };
    for (const [how, beside] of person.beside ? Object.entries(spoiltBeside) : []) {
      it(`lets in who is known without the rest, when that ${how}`, async () => {
        const setup = setUp(factory, walk, person);
        setup.vendor.mischief.beside = beside;
        await setup.finish(setup.vendor.consent(await setup.start()));
        expect(setup.signedIn).toHaveLength(1);
        expect(setup.signedIn[0]?.account?.providerAccountId).toBe(person.user.id);
      });
    }

    it("lets no caller change what ties the answer to the request", async () => {
      const { browser } = setUp(factory, walk, person);
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
