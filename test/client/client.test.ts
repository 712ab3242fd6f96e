import { describe, expect, it } from "vitest";
import { ClientError, createAuthClient, getSession, signIn } from "../../src/client.ts";
import { CredentialsSignin } from "../../src/index.ts";
import { createAuth as createMinimal } from "../../presets/minimal.ts";
import { createAuth } from "../../presets/index.ts";
import { createBrowser } from "../../src/testing.ts";
import { createHouse, credentials, ENV, LOVELACE, ORIGIN, SECRET } from "../_setup.ts";
import { fetchOf, HREF, openPage, serverOf } from "./_page.ts";

function open(house = createHouse()) {
  const asked: string[] = [];
  return { asked, ...createAuthClient({ fetch: fetchOf(house.browser, asked) }), house };
}

const quiet = { redirect: false } as const;

describe("the client at a real handler", () => {
  it("reads the session, the token and the providers", async () => {
    const client = open();
    expect(await client.getSession()).toBeNull();
    expect(await client.getCsrfToken()).toMatch(/^[0-9a-f]{64}$/);
    expect(await client.getProviders()).toMatchObject({ credentials: { type: "credentials" } });
  });

  it("signs in and out", async () => {
    const client = open();
    const result = await client.signIn("credentials", { ...LOVELACE, ...quiet, redirectTo: "/in" });
    expect(result).toEqual({ ok: true, status: 200, url: `${ORIGIN}/in` });
    expect(await client.getSession()).toMatchObject({ user: { name: "Ada" } });
    expect(await client.signOut({ ...quiet, callbackUrl: "/bye" })).toEqual({
      ok: true,
      status: 200,
      url: `${ORIGIN}/bye`,
    });
    expect(await client.getSession()).toBeNull();
  });

  it("says that a sign-in failed, and never that it went well", async () => {
    const client = open();
    const result = await client.signIn("credentials", { ...LOVELACE, password: "x", ...quiet });
    expect(result).toEqual({
      ok: false,
      error: "CredentialsSignin",
      code: "credentials",
      status: 200,
      url: `${ORIGIN}/auth/signin?error=CredentialsSignin&code=credentials`,
    });
    client.house.log.expectErrors("CredentialsSignin");
  });

  it("hands on a code of the application's", async () => {
    const locked = credentials({
      authorize() {
        throw Object.assign(new CredentialsSignin("locked"), { code: "locked" });
      },
    });
    const client = open(createHouse({ providers: [locked] }));
    expect(await client.signIn("credentials", { ...LOVELACE, ...quiet })).toMatchObject({
      ok: false,
      code: "locked",
    });
    client.house.log.expectErrors("CredentialsSignin");
  });

  it("knows credentials by their type, not their id", async () => {
    const client = open(createHouse({ providers: [credentials({ id: "ldap~1" })] }));
    expect(await client.signIn("ldap~1", { ...LOVELACE, ...quiet })).toMatchObject({ ok: true });
    expect(client.asked).toContain("POST /auth/callback/ldap~1");
  });

  it("is told by a server without pages too", async () => {
    const auth = createMinimal({
      secret: SECRET,
      env: ENV,
      providers: [credentials()],
      logger: { error() {} },
    });
    const client = createAuthClient({ fetch: fetchOf(createBrowser(auth.fetch)) });
    expect(await client.signIn("credentials", { ...LOVELACE, password: "x", ...quiet })).toEqual({
      ok: false,
      error: "CredentialsSignin",
      code: "credentials",
      status: 401,
      url: null,
    });
  });

  it("goes to an identity provider, with the parameters it is given", async () => {
    const auth = createAuth({
      secret: SECRET,
      env: ENV,
      providers: [
        {
          id: "acme",
          name: "Acme",
          type: "oauth",
          clientId: "id",
          clientSecret: "secret",
          authorization: "https://acme.example/authorize",
          token: "https://acme.example/token",
          userinfo: "https://acme.example/userinfo",
        },
      ],
    });
    const client = createAuthClient({ fetch: fetchOf(createBrowser(auth.fetch)) });
    const result = await client.signIn("acme", quiet, { login_hint: "ada" });
    expect(result.ok).toBe(true);
    const url = new URL(result.url ?? "");
    expect(url.origin).toBe("https://acme.example");
    expect(url.searchParams.get("login_hint")).toBe("ada");
  });

  it("leads to the sign-in page where no provider is named, or an unknown one", async () => {
    openPage();
    const client = open();
    const page = `${ORIGIN}/auth/signin?callbackUrl=%2Fin`;
    expect(await client.signIn(undefined, { ...quiet, redirectTo: "/in" })).toEqual({
      ok: true,
      status: 200,
      url: page,
    });
    expect(await client.signIn("nobody", { ...quiet, redirectTo: "/in" })).toEqual({
      ok: false,
      error: "InvalidProvider",
      status: 200,
      url: page,
    });
    expect(await client.signIn("constructor", quiet)).toMatchObject({ error: "InvalidProvider" });
  });

  it("changes the session", async () => {
    const client = open(
      createHouse({
        callbacks: {
          jwt: ({ token, trigger, session }) =>
            trigger === "update" ? { ...token, name: String((session as { n: string }).n) } : token,
        },
      }),
    );
    expect(await client.update({ n: "x" })).toBeNull();
    await client.signIn("credentials", { ...LOVELACE, ...quiet });
    expect(await client.update({ n: "Countess" })).toMatchObject({ user: { name: "Countess" } });
    expect(await client.update()).toMatchObject({ user: { name: "Countess" } });
  });

  it("says when the session could not be read: that is not nobody", async () => {
    const client = createAuthClient({
      fetch: fetchOf(createBrowser(async () => new Response("busy", { status: 503 }))),
    });
    await expect(client.getSession()).rejects.toMatchObject({ type: "ClientError", status: 503 });
    await expect(client.update({})).rejects.toBeInstanceOf(ClientError);
    await expect(client.getProviders()).rejects.toMatchObject({ status: 503 });
    await expect(client.getCsrfToken()).rejects.toMatchObject({ status: 503 });
    expect(await client.signIn("credentials", quiet)).toEqual({
      ok: false,
      error: "RequestFailed",
      status: 503,
      url: null,
    });
    expect(await client.signOut(quiet)).toMatchObject({ ok: false, status: 503 });
  });

  it("needs no token where the server asks for none", async () => {
    const { skipCSRFCheck } = await import("../../src/index.ts");
    const client = open(createHouse({ skipCSRFCheck }));
    expect(await client.getCsrfToken()).toBe("");
    expect(await client.signIn("credentials", { ...LOVELACE, ...quiet })).toMatchObject({
      ok: true,
    });
  });
});

describe("the client at any server", () => {
  const answering = (post: unknown) =>
    serverOf((path) => {
      if (path.endsWith("/csrf")) return { csrfToken: "t" };
      if (path.endsWith("/providers")) return { acme: { id: "acme", type: "oauth" } };
      if (path.endsWith("/session")) return {};
      return post;
    });

  it("sends what Auth.js's client sends", async () => {
    openPage();
    const sent: Request[] = [];
    const { fetch } = answering({ url: `${ORIGIN}/in` });
    const client = createAuthClient({
      basePath: "/api/auth/",
      fetch: async (url, init) => {
        sent.push(new Request(new URL(url, HREF), init));
        return fetch(url, init);
      },
    });
    await client.signIn("acme", { ...quiet, email: "a@b.example", n: 1, no: undefined, file: {} });
    const post = sent.at(-1) as Request;
    expect(post.url).toBe(`${ORIGIN}/api/auth/signin/acme`);
    expect(post.method).toBe("POST");
    expect(post.headers.get("x-auth-return-redirect")).toBe("1");
    expect(post.headers.get("content-type")).toMatch(/^application\/x-www-form-urlencoded/);
    expect(Object.fromEntries(await post.formData())).toEqual({
      email: "a@b.example",
      n: "1",
      csrfToken: "t",
      callbackUrl: HREF,
    });
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "blob:http://localhost:3000/1",
    "http://",
    17,
    null,
    undefined,
  ])("goes nowhere for %j", async (url) => {
    const page = openPage();
    const client = createAuthClient({ fetch: answering({ url }).fetch });
    const failed = { ok: false, error: "RequestFailed" };
    expect(await client.signIn("acme")).toMatchObject(failed);
    expect(await client.signOut()).toMatchObject(failed);
    expect(page.left).toEqual([]);
  });

  it("leaves the page for what the server says, and for its word on a failure", async () => {
    const page = openPage();
    const good = createAuthClient({ fetch: answering({ url: "https://idp.example/a" }).fetch });
    await good.signIn("acme");
    const bad = createAuthClient({
      fetch: answering({ url: `${ORIGIN}/login?error=AccessDenied` }).fetch,
    });
    expect(await bad.signIn("acme")).toMatchObject({ ok: false, error: "AccessDenied" });
    expect(page.left).toEqual(["https://idp.example/a", `${ORIGIN}/login?error=AccessDenied`]);
    expect(page.reloads).toBe(0);
  });

  it("loads the page again where only the part after # differs", async () => {
    const page = openPage();
    const client = createAuthClient({ fetch: answering({ url: `${HREF}#top` }).fetch });
    await client.signOut();
    expect([page.left, page.reloads]).toEqual([[`${HREF}#top`], 1]);
  });

  it("stays where it is when nobody answers", async () => {
    const page = openPage();
    const client = createAuthClient({ fetch: () => Promise.reject(new TypeError("offline")) });
    const unreachable = { ok: false, error: "Unreachable", status: 0, url: null };
    expect(await client.signIn("acme")).toEqual(unreachable);
    expect(await client.signOut()).toEqual(unreachable);
    expect(page.left).toEqual([]);
    await expect(client.getSession()).rejects.toMatchObject({ status: 0 });
  });

  it("does not take the error of an earlier attempt for one of this", async () => {
    openPage({ href: `${ORIGIN}/login?error=CredentialsSignin&code=x&next=1` });
    const sent: string[] = [];
    const client = createAuthClient({
      fetch: serverOf(async (path, { body }) => {
        if (path.endsWith("/csrf")) return { csrfToken: "t" };
        if (path.endsWith("/providers")) return { pw: { id: "pw", type: "credentials" } };
        if (path.endsWith("/session")) return null;
        const url = (body as URLSearchParams).get("callbackUrl") ?? "";
        sent.push(url);
        return { url };
      }).fetch,
    });
    expect(await client.signIn("pw", quiet)).toMatchObject({ ok: true });
    expect(await client.signIn("pw", { ...quiet, redirectTo: "/x?error=y" })).toMatchObject({
      ok: true,
    });
    expect(sent).toEqual([`${ORIGIN}/login?next=1`, `${ORIGIN}/x`]);
  });

  it.each(["<!doctype html>", "", "17", '"text"', "[]", "true"])(
    "takes %j for no session and no nobody",
    async (text) => {
      const client = createAuthClient({ fetch: async () => new Response(text) });
      await expect(client.getSession()).rejects.toMatchObject({ status: 200 });
    },
  );

  it("takes {} for nobody", async () => {
    const client = createAuthClient({ fetch: answering(null).fetch });
    expect(await client.getSession()).toBeNull();
  });
});

describe("the client on a server", () => {
  it("says what it lacks", async () => {
    await expect(getSession()).rejects.toThrow(/baseUrl/);
    expect(await signIn("acme")).toMatchObject({ ok: false, error: "Unreachable" });
  });

  it("asks at the base URL", async () => {
    const urls: string[] = [];
    const client = createAuthClient({
      baseUrl: "https://app.example/",
      basePath: "/auth",
      fetch: async (url) => {
        urls.push(url);
        return Response.json(null);
      },
    });
    expect(await client.getSession()).toBeNull();
    expect(urls).toEqual(["https://app.example/auth/session"]);
  });

  it("never hands one visitor's session to another", async () => {
    let turn = 0;
    const client = createAuthClient({
      baseUrl: ORIGIN,
      fetch: async () => {
        const mine = ++turn;
        // The later question is answered first.
        for (let tick = 0; tick < 20 - mine; tick++) await Promise.resolve();
        return Response.json({ user: { name: `visitor ${mine}` }, expires: "2100-01-01" });
      },
    });
    const watch = client.watchSession();
    const stop = watch.subscribe(() => {});
    const names = await Promise.all(
      Array.from({ length: 8 }, async () => (await client.getSession())?.user?.name),
    );
    expect(names).toEqual(names.map((_, at) => `visitor ${at + 1}`));
    expect(watch.read()).toMatchObject({ status: "loading" });
    stop();
  });
});
