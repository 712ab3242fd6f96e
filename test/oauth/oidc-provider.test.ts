import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessTokens, type AccessTokensAuth } from "../../plugins/oauth/access-tokens.ts";
import { backchannelLogout } from "../../plugins/oauth/backchannel-logout.ts";
import { providerLogout } from "../../plugins/oauth/provider-logout.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { defineStore } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import { createTestAuth } from "../_app.ts";
import { type Idp, newSigningKey, startIdp } from "../_idp.ts";

const clientSecret = "a-client-secret-of-at-least-32-characters";

/** A browser at the provider: follows its redirects, and confirms its page of the logout. */
function createVisitor(idp: Idp) {
  const jar = new Map<string, string>();
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...jar].map((pair) => pair.join("=")).join("; ");
    const headers = { ...(init.headers as Record<string, string>), cookie };
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (/expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name);
      else jar.set(name, value);
    }
    return response;
  };
  return async (start: string): Promise<string> => {
    let response = await send(start);
    for (let step = 0; step < 10; step++) {
      const next = response.headers.get("location");
      if (next) {
        const { href } = new URL(next, idp.issuer);
        if (!href.startsWith(idp.issuer)) return href;
        response = await send(href);
        continue;
      }
      const page = await response.text();
      const action = /action="([^"]+)"/.exec(page)?.[1];
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1];
      if (!action || !xsrf)
        throw new Error(`The provider responded with ${response.status}: ${page}`);
      response = await send(action, {
        method: "POST",
        body: new URLSearchParams({ xsrf, logout: "yes" }),
      });
    }
    throw new Error("The provider never redirected to the application.");
  };
}

const origin = "http://127.0.0.1:3000";
let idp: Idp;
let app: ReturnType<typeof createApp>;
/** The logout requests that the provider has sent. */
const received: { url: string; body: string; headers: Record<string, string> }[] = [];

function createApp() {
  return createTestAuth({
    preset: standardPreset,
    trustHost: true,
    origin,
    providers: [
      {
        id: "idp",
        name: "IdP",
        type: "oidc",
        issuer: idp.issuer,
        clientId: "client",
        clientSecret,
        authorization: { params: { scope: "openid profile" } },
      },
    ],
    use: [
      defineStore(memoryBackend()),
      accessTokens(),
      providerLogout(),
      backchannelLogout({ checkAge: 0 }),
    ],
  });
}

beforeAll(async () => {
  idp = await startIdp(
    [
      {
        client_id: "client",
        client_secret: clientSecret,
        redirect_uris: [`${origin}/auth/callback/idp`],
        post_logout_redirect_uris: [`${origin}/auth/signout/callback`],
        backchannel_logout_uri: `${origin}/auth/backchannel-logout/idp`,
        backchannel_logout_session_required: true,
        grant_types: ["authorization_code", "refresh_token"],
      },
    ],
    {
      jwks: { keys: [(await newSigningKey("key")) as never] },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      scopes: ["openid", "profile", "offline_access"],
      // The browser does not request addresses of this machine by itself.
      fetch: async (url, { method, headers, body }: RequestInit = {}) => {
        const request = new Request(url as string, { method, headers, body } as RequestInit);
        received.push({
          url: request.url,
          body: await request.clone().text(),
          headers: Object.fromEntries(request.headers),
        });
        return app.auth.fetch(request);
      },
      rotateRefreshToken: true,
      issueRefreshToken: () => true,
      ttl: {
        ...{ AccessToken: 2, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 60 },
        ...{ RefreshToken: 600, Session: 600 },
      },
    },
  );
  app = createApp();
});
afterAll(async () => {
  await idp.close();
});

async function signIn(visit: ReturnType<typeof createVisitor>, browser = app.browser) {
  const started = await browser.signIn("idp", { callbackUrl: "/page" });
  const { pathname, search } = new URL(await visit(started.headers.get("location") ?? ""));
  const response = await browser.get(pathname + search);
  expect(response.headers.get("location")).toBe(`${origin}/page`);
}

/** Signs out, and returns the URL at the provider. */
async function leave(browser: typeof app.browser): Promise<string> {
  const csrfToken = await browser.csrfToken();
  const response = await browser.post("/auth/signout", { csrfToken, callbackUrl: "/bye" });
  expect(await browser.session()).toBeNull();
  return response.headers.get("location") ?? "";
}

function getToken(cookies: Map<string, string>) {
  const headers = { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
  const event = {
    req: new Request(`${origin}/page`, { headers }),
    res: { headers: new Headers() },
  };
  const auth = app.auth as typeof app.auth & AccessTokensAuth;
  return auth.getAccessToken(event, { provider: "idp" });
}

describe("with a real provider of OpenID Connect (oidc-provider)", () => {
  it("50 calls with the same expired token refresh once, and the provider's detection of reuse stays calm", async () => {
    await signIn(createVisitor(idp));
    const { cookies } = app.browser;
    const first = await Promise.all(Array.from({ length: 50 }, () => getToken(cookies)));
    expect(new Set(first.map(({ accessToken }) => accessToken)).size).toBe(1);
    const response = await fetch(`${idp.issuer}/me`, {
      headers: { authorization: `Bearer ${first[0]?.accessToken}` },
    });
    expect(await response.json()).toMatchObject({ sub: "ada" });
    // The browser has never received a cookie: the chain of the outcomes leads to the latest token, for half of its two seconds.
    expect((await getToken(cookies)).accessToken).toBe(first[0]?.accessToken);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const second = await Promise.all(Array.from({ length: 50 }, () => getToken(cookies)));
    expect(new Set(second.map(({ accessToken }) => accessToken)).size).toBe(1);
    expect(second[0]?.accessToken).not.toBe(first[0]?.accessToken);
  });

  it("a sign-out ends the provider's session, whose logout token ends the user's other session", async () => {
    const visit = createVisitor(idp);
    await signIn(visit);
    const other = app.openBrowser(origin);
    await signIn(visit, other);
    expect(await other.session()).not.toBeNull();
    const csrfToken = await app.browser.csrfToken();
    const response = await app.browser.post("/auth/signout", { csrfToken, callbackUrl: "/bye" });
    expect(await app.browser.session()).toBeNull();
    const url = response.headers.get("location") ?? "";
    expect(url.startsWith(`${idp.issuer}/session/end?`)).toBe(true);
    const { pathname, search } = new URL(await visit(url));
    const back = await app.browser.get(pathname + search);
    expect(back.headers.get("location")).toBe(`${origin}/bye`);
    await expect.poll(() => other.session()).toBeNull();
  });

  it("a sign-out with an ID token that has expired ends the provider's session", async () => {
    using clock = createClock();
    const visit = createVisitor(idp);
    const browser = app.openBrowser(origin);
    await signIn(visit, browser);
    clock.advance("3 minutes");
    const url = new URL(await leave(browser));
    const [, payload = ""] = (url.searchParams.get("id_token_hint") ?? "").split(".");
    expect(JSON.parse(atob(payload)).exp).toBeLessThan(Date.now() / 1000);
    const ended = new Promise((resolve) => idp.provider.once("end_session.success", resolve));
    const { pathname, search } = new URL(await visit(url.href));
    await ended;
    const back = await browser.get(pathname + search);
    expect(back.headers.get("location")).toBe(`${origin}/bye`);
  });

  it("a state that was changed on the way back leads to the start page, and changes nothing", async () => {
    const visit = createVisitor(idp);
    const browser = app.openBrowser(origin);
    await signIn(visit, browser);
    const { pathname, searchParams } = new URL(await visit(await leave(browser)));
    const before = new Map(browser.cookies);
    const state = searchParams.get("state") ?? "";
    const forged = await browser.get(`${pathname}?state=${state.slice(1)}x`);
    expect(forged.headers.get("location")).toBe(`${origin}/`);
    expect(browser.cookies).toEqual(before);
    const back = await browser.get(`${pathname}?state=${state}`);
    expect(back.headers.get("location")).toBe(`${origin}/bye`);
  });

  it("a logout token of the provider that is sent again is refused, and changes nothing", async () => {
    const visit = createVisitor(idp);
    const browser = app.openBrowser(origin);
    await signIn(visit, browser);
    received.length = 0;
    await visit(await leave(browser));
    await expect.poll(() => received.length).toBe(1);
    const { url, ...init } = received[0] as (typeof received)[number];
    await signIn(visit, browser);
    const again = await app.auth.fetch(new Request(url, { method: "POST", ...init }));
    expect(again.status).toBe(400);
    expect(await browser.session()).not.toBeNull();
  });
});
