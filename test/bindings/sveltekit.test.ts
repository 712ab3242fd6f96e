import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import type { KitEvent } from "../../plugins/bindings/sveltekit/visit.ts";
import { httpEmailPlugin } from "../../plugins/providers/http-email.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth, customFetch } from "../../presets/sveltekit.ts";
import { AuthError, MissingRequest } from "../../src/errors.ts";
import { diagnoseRequest } from "../../src/testing.ts";
import { LOVELACE, ORIGIN } from "../_app.ts";
import { createKitEvent, createKitSite, type KitSite, type TestKitEvent } from "./_kit.ts";

const post = (fields: Record<string, string>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields),
});

const cookieHeader = ({ set }: TestKitEvent) =>
  [...set].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("; ");

async function signIn(auth: KitSite): Promise<string> {
  const event = createKitEvent(
    "/signin",
    post({ providerId: "credentials", ...LOVELACE, redirect: "" }),
  );
  await auth.signIn(event);
  return cookieHeader(event);
}

const page = () => new Response("the page");

describe("keyhook/sveltekit", () => {
  it("the routes are below the application's path, and other paths belong to the application", async () => {
    const { auth, loads } = createKitSite();
    const resolve = async () => page();
    const csrf = await auth.handle({ event: createKitEvent("/shop/auth/csrf"), resolve });
    expect(await csrf.json()).toHaveProperty("csrfToken");
    const other = await auth.handle({ event: createKitEvent("/auth/csrf"), resolve });
    expect(await other.text()).toBe("the page");
    expect(loads()).toBe(1);
  });

  // As in Auth.js: applications have their own pages there, such as the page of `pages.signIn`.
  it("pages below the base path belong to the application, and routes do not", async () => {
    const { auth } = createKitSite({ pages: { signIn: "/shop/auth/login" } });
    const resolve = async (event: KitEvent) =>
      Response.json(await (event as TestKitEvent).locals.auth?.());
    const visit = (path: string, init?: RequestInit) =>
      auth.handle({ event: createKitEvent(path, init), resolve });
    const headers = { cookie: await signIn(auth) };
    for (const path of ["/login", "/login/x", "/nope", "/signin/a/b", "/session/x"]) {
      const response = await visit(`/shop/auth${path}`, { headers });
      expect(await response.json(), path).toMatchObject({ user: { name: "Ada" } });
    }
    expect((await visit("/shop/auth/login", { method: "POST", headers })).status).toBe(200);
    expect((await visit("/shop/auth/session", { method: "PUT" })).status).toBe(405);
    expect(await (await visit("/shop/auth/session")).json()).toBeNull();
    expect((await visit("/shop/auth/signin")).headers.get("location")).toContain(
      "/shop/auth/login",
    );
  });

  it("a copy of an event has the same session, read once", async () => {
    const { auth } = createKitSite({ session: { updateAge: 0 } });
    const headers = { cookie: await signIn(auth) };
    const event = createKitEvent("/", { headers });
    let writes = 0;
    const cookies: KitEvent["cookies"] = { set: () => void writes++ };
    const resolve = async (given: KitEvent) => {
      const copy = { ...given } as TestKitEvent;
      const [one, other] = [await copy.locals.auth?.(), await auth.getSession({ ...given })];
      expect(one).toBe(other);
      expect(one).toMatchObject({ user: { name: "Ada" } });
      return page();
    };
    const response = await auth.handle({ event: { ...event, cookies }, resolve });
    expect(writes).toBe(1);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });

  it("a response with immutable headers is private too, and a stricter header of the application stays", async () => {
    const { auth } = createKitSite();
    const read = async (response: Response) =>
      auth.handle({
        event: createKitEvent("/"),
        resolve: async (event: KitEvent) => {
          await auth.getSession(event);
          return response;
        },
      });
    const fixed = await read(Response.redirect(`${ORIGIN}/next`));
    expect([fixed.status, fixed.headers.get("cache-control")]).toEqual([302, "private, no-store"]);
    const headers = (value: string) => ({ headers: { "cache-control": value } });
    const own = await read(new Response("", headers("private, max-age=60")));
    expect(own.headers.get("cache-control")).toBe("private, max-age=60");
    const shared = await read(new Response("", headers("public, s-maxage=60")));
    expect(shared.headers.get("cache-control")).toBe("private, no-store");
  });

  it("a read after the page was sent is refused if caches store the page", async () => {
    const { auth } = createKitSite();
    const readLate = async (value: string, name = "cache-control") => {
      const event = createKitEvent("/");
      const resolve = async () => new Response("", { headers: { [name]: value } });
      await auth.handle({ event, resolve });
      return event.locals.auth?.();
    };
    await expect(readLate("public, max-age=60")).rejects.toThrow("while the page was streamed");
    await expect(readLate("max-age=60")).rejects.toThrow("while the page was streamed");
    expect(await readLate("private, max-age=60")).toBeNull();
    expect(await readLate("no-cache")).toBeNull();
    const late = readLate("max-age=60", "cdn-cache-control");
    await expect(late).rejects.toThrow("while the page was streamed");
    await expect(readLate("60", "x-accel-expires")).rejects.toThrow("while the page was streamed");
    expect(await readLate("no-store", "cdn-cache-control")).toBeNull();
    expect(await readLate("0", "x-accel-expires")).toBeNull();
  });

  it("while SvelteKit prerenders pages for all visitors, nothing boots, and there is no session", async () => {
    // A configuration that cannot boot.
    const { auth } = createKitSite({ secret: "", providers: [{} as never] }, { isBuilding: true });
    const event = createKitEvent("/shop/auth/session");
    const resolve = async () => Response.json(await event.locals.auth?.());
    expect(await (await auth.handle({ event, resolve })).json()).toBeNull();
    expect(await (await auth.guard({ event, resolve: page })).text()).toBe("the page");
    await expect(auth.requireSession(event)).rejects.toThrow("cannot be prerendered");
  });

  it("the guard of a remote function ignores the page that the client claims", async () => {
    const asked: string[] = [];
    const { auth } = createKitSite({
      pages: { signIn: "/shop/login" },
      callbacks: {
        authorized({ request, auth: session }) {
          asked.push(new URL(request.url).pathname);
          return session !== null;
        },
      },
    });
    const path = "/_app/remote/1a2b3c/secret";
    for (const stated of ["/shop/auth/signin", "/shop/auth/session", "/shop/login", "/"]) {
      for (const method of ["GET", "POST"]) {
        const url = new URL(ORIGIN + stated);
        const event = createKitEvent(path, { method }, { url, isRemoteRequest: true });
        const run = () => auth.guard({ event, resolve: page });
        if (method === "GET") await expect(run()).rejects.toMatchObject({ status: 302 });
        else expect((await run()).status).toBe(401);
      }
    }
    expect(new Set(asked)).toEqual(new Set([path]));
  });

  it("the guard lets visitors post the sign-in page, but not run a remote form through it", async () => {
    const pages = { signIn: "/shop/login" };
    const callbacks = { authorized: ({ auth }: { auth: unknown }) => auth !== null };
    const ask = async (query: string, method = "POST") => {
      const { auth } = createKitSite({ pages, callbacks });
      const event = createKitEvent(`/shop/login${query}`, { method });
      return (await auth.guard({ event, resolve: page })).status;
    };
    expect(await ask("?/signIn")).toBe(200);
    expect(await ask("?/remote=1a2b3c/secret", "GET")).toBe(200);
    expect(await ask("?/remote=1a2b3c/secret")).toBe(401);
    expect(await ask("?x=1&/remote=1a2b3c%2Fsecret")).toBe(401);
  });

  it("requireFreshSession redirects browsers to the sign-in page, and refuses other requests", async () => {
    const { auth } = createKitSite();
    const ask = (init: RequestInit) => auth.requireFreshSession(createKitEvent("/shop/mine", init));
    const html = { headers: { accept: "text/html" } };
    await expect(ask(html)).rejects.toMatchObject({ status: 302 });
    await expect(ask({})).rejects.toMatchObject({ status: 401, target: "SessionRequired" });
  });

  it("requireSession redirects browsers to the sign-in page, and refuses other requests", async () => {
    const { auth } = createKitSite();
    const ask = (init: RequestInit, over: Partial<KitEvent> = {}) =>
      auth.requireSession(createKitEvent("/shop/mine?x=1", init, over));
    const html = { headers: { accept: "text/html" } };
    const target = `${ORIGIN}/shop/auth/signin?callbackUrl=`;
    const back = target + encodeURIComponent(`${ORIGIN}/shop/mine?x=1`);
    await expect(ask(html)).rejects.toMatchObject({ status: 302, target: back });
    await expect(ask({}, { isDataRequest: true })).rejects.toMatchObject({ status: 302 });
    // Without the query, which names the action.
    const posted = target + encodeURIComponent(`${ORIGIN}/shop/mine`);
    await expect(ask({ ...html, method: "POST" })).rejects.toMatchObject({
      status: 303,
      target: posted,
    });
    await expect(ask({})).rejects.toMatchObject({ status: 401, target: "SessionRequired" });
  });

  it("requireSession at an untrusted host shows visitors no details for the developer", async () => {
    const { auth } = createKitSite({ trustHost: ["other.example"] });
    const error: unknown = await auth
      .requireSession(createKitEvent("/shop/mine"))
      .catch((reason: unknown) => reason);
    // Not an error of SvelteKit, whose message the page would show.
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ type: "UntrustedHost" });
  });

  it("an action passes on the parameters of the form, but no file", async () => {
    const { auth } = createKitSite();
    const form = new FormData();
    form.set("providerId", "credentials");
    form.set("username", LOVELACE.username);
    form.set("password", new File(["lovelace"], "password"));
    const event = createKitEvent("/", { method: "POST", body: form });
    expect(await auth.actions.signIn(event)).toEqual({
      status: 401,
      data: { error: "CredentialsSignin", code: "credentials" },
    });
    expect([...event.set.keys()].join()).not.toContain("session-token");
  });

  it("in development, an action with an unknown provider logs a warning", async () => {
    const said: string[] = [];
    const logger = { warn: (code: string, detail = "") => void said.push(`${code}: ${detail}`) };
    const { auth } = createKitSite({ logger }, { isDevelopment: true });
    const event = createKitEvent("/", post({ providerId: "credentails" }));
    await expect(auth.actions.signIn(event)).rejects.toMatchObject({ status: 303 });
    expect(said).toContainEqual(
      'unknown-provider: auth.signIn(): there is no provider "credentails". Did you mean "credentials"?',
    );
  });

  it("a file in the provider field selects no provider", async () => {
    const { auth } = createKitSite();
    const form = new FormData();
    form.set("providerId", new File(["credentials"], "credentials"));
    const event = createKitEvent("/", { method: "POST", body: form });
    await expect(auth.actions.signIn(event)).rejects.toMatchObject({
      status: 303,
      target: expect.stringContaining("/shop/auth/signin"),
    });
  });

  it("a form that the application has already read causes no crash: the visitor is redirected to the sign-in page", async () => {
    const { auth } = createKitSite();
    const event = createKitEvent("/", post({ providerId: "credentials", ...LOVELACE }));
    await event.request.formData();
    await expect(auth.signIn(event)).rejects.toMatchObject({ status: 303 });
    expect([...event.set.keys()].join()).not.toContain("session-token");
  });

  it("an action throws errors that the visitor did not cause, though pages explain them", async () => {
    const jwt = ({ token }: { token: object }) => ({ ...token, all: "x".repeat(100_000) });
    const { auth } = createKitSite({ callbacks: { jwt } as never });
    const event = createKitEvent("/", post({ providerId: "credentials", ...LOVELACE }));
    await expect(auth.actions.signIn(event)).rejects.toMatchObject({ type: "SessionTooLarge" });
  });

  it("an action returns errors that a retry may resolve, and the code of an invalid address", async () => {
    const fetch = async () => Response.json({}, { status: 500 });
    const op = {
      id: "op",
      type: "oidc",
      issuer: "https://op.example",
      clientId: "a",
      clientSecret: "b",
    };
    const { auth } = createKitSite({ providers: [{ ...op, [customFetch]: fetch } as never] });
    const event = createKitEvent("/", post({ providerId: "op" }));
    expect(await auth.actions.signIn(event)).toEqual({
      status: 503,
      data: { error: "OAuthSignInError" },
    });
    await expect(auth.signIn(event, "op")).rejects.toMatchObject({ type: "OAuthSignInError" });
    const mail = httpEmailPlugin({
      id: "mail",
      from: "a@example.com",
      sendVerificationRequest() {},
    });
    const { auth: mailed } = createKitSite({ plugins: [memoryStore(), storeAdapter(), mail] });
    const typed = createKitEvent("/", post({ providerId: "mail", email: "ada@b" }));
    expect(await mailed.actions.signIn(typed)).toEqual({
      status: 400,
      data: { error: "EmailSignInError", code: "invalid_address" },
    });
  });

  it("signIn accepts the provider from code, and `redirect: false` returns the target", async () => {
    const { auth } = createKitSite();
    const event = createKitEvent("/");
    const options = { ...LOVELACE, redirectTo: "/shop/welcome" };
    await expect(auth.signIn(event, "credentials", options)).rejects.toMatchObject({
      status: 303,
      target: `${ORIGIN}/shop/welcome`,
    });
    expect(await auth.signIn(event, "credentials", { ...options, redirect: false })).toEqual({
      url: `${ORIGIN}/shop/welcome`,
    });
    expect(await auth.getSession(event)).toMatchObject({ user: { name: "Ada" } });
    expect(await auth.signOut(event, { redirect: false, redirectTo: "/" })).toEqual({
      url: `${ORIGIN}/`,
    });
    expect(await auth.getSession(event)).toBeNull();
  });

  it("a form redirects to a path of the application or, without a valid path, to the start page below `paths.base`", async () => {
    const { auth } = createKitSite();
    const lead = async (redirectTo: string, referer?: string) => {
      const form = post({ providerId: "credentials", ...LOVELACE, redirectTo });
      if (referer) form.headers = { ...form.headers, referer };
      const thrown = await auth.signIn(createKitEvent("/shop/login?/signIn", form)).catch((e) => e);
      return thrown.target;
    };
    // What `resolve` of `$app/paths` returns in the browser, and during server rendering.
    expect(await lead("/shop/account")).toBe(`${ORIGIN}/shop/account`);
    expect(await lead("./account?tab=2#top")).toBe(`${ORIGIN}/shop/account?tab=2#top`);
    // On a page that posts to `signInPage`.
    expect(await lead("../account", `${ORIGIN}/shop/a/b`)).toBe(`${ORIGIN}/shop/account`);
    expect(await lead("./a", "https://evil.example/shop/b")).toBe(`${ORIGIN}/shop/a`);
    expect(await lead("./account", "about:blank")).toBe(`${ORIGIN}/shop/account`);
    expect(await lead("../shop/")).toBe(`${ORIGIN}/shop/`);
    expect(await lead("./..//evil.example")).toBe(`${ORIGIN}//evil.example`);
    expect(await lead("https://evil.example/")).toBe(`${ORIGIN}/shop/`);
    expect(await lead("/")).toBe(`${ORIGIN}/`);
    const left = createKitEvent("/shop/login?/signOut", post({ redirectTo: "./bye" }));
    await expect(auth.signOut(left)).rejects.toMatchObject({ target: `${ORIGIN}/shop/bye` });
  });

  it("a faulty configuration does not count as an error of the visitor", async () => {
    const { auth } = createKitSite({ providers: [{ id: "op", type: "oidc" } as never] });
    const event = createKitEvent("/", post({ providerId: "op" }));
    await expect(auth.actions.signIn(event)).rejects.toThrow(/clientId|issuer/);
  });

  it("an address that the adapter does not know causes no error", async () => {
    const { auth } = createKitSite();
    const getClientAddress = () => {
      throw new Error("the header is absent");
    };
    const event = createKitEvent("/shop/auth/session", {}, { getClientAddress });
    expect((await auth.handle({ event, resolve: page })).status).toBe(200);
  });

  it("a configuration that is a function of the event is not called for a request without one", async () => {
    const auth = createAuth(({ locals }) => ({ basePath: `/${Object.keys(locals).length}` }));
    const request = new Request(`${ORIGIN}/auth/session`);
    await expect(auth.getSession(request)).rejects.toThrow(MissingRequest);
    await expect(diagnoseRequest(auth, request)).rejects.toThrow("a function of SvelteKit's event");
  });

  it("an application whose Vite does not bundle the package gets an error with the fix", async () => {
    const event = createKitEvent("/");
    await expect(createAuth().handle({ event, resolve: page })).rejects.toThrow("noExternal");
  });
});
