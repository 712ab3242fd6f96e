import { inspect } from "node:util";
import { renderToString as renderVue } from "@vue/server-renderer";
import { assert, asyncProperty, constantFrom, jsonValue, oneof, record, webUrl } from "fast-check";
import { createElement, type FunctionComponent } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createSSRApp, defineComponent, h } from "vue";
import { SessionProvider, useSession } from "../../plugins/frameworks/react.ts";
import { sessionStore } from "../../plugins/frameworks/svelte/session.ts";
import { authPlugin, useSession as useVueSession } from "../../plugins/frameworks/vue.ts";
import { authClient, ClientError, createAuthClient } from "../../src/client.ts";
import type { SignInResult } from "../../src/client.ts";
import { createTestAuth, LOVELACE, ORIGIN } from "../_app.ts";
import { toFetch, openPage, createTestServer, settle } from "../client/_page.ts";
import { EVIL, runs, watchRejections } from "./_attack.ts";

watchRejections();

const quiet = { redirect: false } as const;
const ada = { user: { name: "Ada" }, expires: "2100-01-01T00:00:00.000Z" };

const ACTIVE = [
  "javascript:alert(1)",
  "\u0001javascript:alert(1)",
  "JAVASCRIPT:alert(1)",
  "java\tscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "blob:http://localhost:3000/1",
  "filesystem:http://localhost:3000/1",
  "about:blank",
  "file:///etc/passwd",
  "intent://x#Intent;end",
  "//[",
];

/** Checks the shape of a result: a failure is never `ok`, and a URL leads to a page of the application. */
function expectTyped(result: SignInResult): void {
  expect([true, false]).toContain(result.ok);
  expect(typeof result.status).toBe("number");
  if (result.ok) {
    expect(result.error).toBeUndefined();
    expect(new URL(result.url).protocol).toMatch(/^https?:$/);
    expect(new URL(result.url).searchParams.has("error")).toBe(false);
  } else {
    expect(typeof result.error).toBe("string");
    expect(result.error).not.toBe("");
    expect(["string", "undefined"]).toContain(typeof result.code);
    if (result.url !== null) expect(new URL(result.url).protocol).toMatch(/^https?:$/);
  }
}

describe("the client with a server that returns arbitrary JSON", () => {
  const body = oneof(
    jsonValue(),
    record(
      {
        url: oneof(constantFrom<unknown>(...ACTIVE, "", null, 7), webUrl(), jsonValue()),
        error: jsonValue(),
        code: jsonValue(),
        ok: jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  const status = constantFrom(200, 201, 400, 401, 403, 404, 500, 503);

  it("signIn and signOut return a well-typed result and open no page of an active scheme for any JSON", async () => {
    const page = openPage();
    await assert(
      asyncProperty(body, status, async (json, code) => {
        const { fetch } = createTestServer((path, { method }) => {
          if (method === "POST") return Response.json(json, { status: code });
          if (path.endsWith("/csrf")) return { csrfToken: "t" };
          if (path.endsWith("/session")) return null;
          return { acme: { id: "acme", type: "oauth" }, pw: { id: "pw", type: "credentials" } };
        });
        const client = createAuthClient({ fetch });
        for (const result of [
          await client.signIn("acme"),
          await client.signIn("pw"),
          await client.signOut(),
        ]) {
          expectTyped(result);
          if (code >= 400) expect(result.ok).toBe(false);
        }
        for (const url of page.left.splice(0)) expect(url).toMatch(/^https?:\/\//);
      }),
      runs(150),
    );
  });

  it("signIn and signOut return a well-typed result when /providers and /csrf return any JSON", async () => {
    openPage();
    await assert(
      asyncProperty(jsonValue(), jsonValue(), status, async (list, token, code) => {
        const { fetch } = createTestServer((path) => {
          if (path.endsWith("/providers")) return Response.json(list, { status: code });
          if (path.endsWith("/csrf")) return Response.json(token, { status: code });
          return { url: `${ORIGIN}/in` };
        });
        const client = createAuthClient({ fetch });
        for (const id of ["acme", "constructor", "__proto__", "../x", ""]) {
          expectTyped(await client.signIn(id, quiet));
        }
        expectTyped(await client.signOut(quiet));
      }),
      runs(100),
    );
  });

  it("getSession resolves to a session or null, or rejects with a ClientError, for any JSON", async () => {
    await assert(
      asyncProperty(jsonValue(), status, async (json, code) => {
        const { fetch } = createTestServer(() => Response.json(json, { status: code }));
        const session = await createAuthClient({ fetch })
          .getSession()
          .catch((error: unknown) => error);
        const isRight =
          session === null ||
          session instanceof ClientError ||
          (typeof session === "object" && !Array.isArray(session));
        expect(isRight).toBe(true);
        if (code >= 400) expect(session).toBeInstanceOf(ClientError);
      }),
      runs(100),
    );
  });
});

describe("redirect targets passed to the client", () => {
  it.each([...ACTIVE, `https://${EVIL}/`, `//${EVIL}`, `\\\\${EVIL}`, `/\\${EVIL}`])(
    "signIn and signOut do not navigate to %s",
    async (redirectTo) => {
      const page = openPage();
      const app = createTestAuth();
      const client = createAuthClient({ fetch: toFetch(app.browser) });
      for (const target of [{ redirectTo }, { callbackUrl: redirectTo }]) {
        await client.signIn("credentials", { ...LOVELACE, ...target });
        await client.signOut(target);
        await client.signIn("credentials", { ...LOVELACE, password: "x", ...target });
        await client.signIn(undefined, target);
        await client.signIn("nobody", target);
      }
      expect(page.left).toHaveLength(10);
      for (const url of page.left) expect(new URL(url).origin).toBe(ORIGIN);
      app.log.expectErrors("CredentialsSignin", "CredentialsSignin");
    },
  );

  it("requireSignIn puts the current address in callbackUrl only", () => {
    for (const href of [
      `${ORIGIN}/here?callbackUrl=https://${EVIL}&error=x&code=y`,
      `${ORIGIN}/here#https://${EVIL}`,
      `${ORIGIN}//${EVIL}/`,
    ]) {
      const page = openPage({ href });
      authClient.requireSignIn();
      const [url = ""] = page.left;
      expect(url.startsWith(`${ORIGIN}/auth/signin?error=SessionRequired&callbackUrl=`)).toBe(true);
      expect(new URL(new URL(url).searchParams.get("callbackUrl") ?? "").origin).toBe(ORIGIN);
    }
  });

  it("signIn ignores fields named csrfToken and callbackUrl", async () => {
    openPage();
    const sent: URLSearchParams[] = [];
    const { fetch } = createTestServer((path, { body }) => {
      if (body instanceof URLSearchParams) sent.push(body);
      if (path.endsWith("/csrf")) return { csrfToken: "own" };
      return path.endsWith("/providers") ? { p: { id: "p", type: "oauth" } } : { url: "/in" };
    });
    const fields = { csrfToken: "evil", redirectTo: "/in", callbackUrl: `//${EVIL}` };
    await createAuthClient({ fetch }).signIn("p", { ...fields, ...quiet });
    expect(sent.map((one) => [...one])).toEqual([
      [
        ["csrfToken", "own"],
        ["callbackUrl", "/in"],
      ],
    ]);
  });
});

describe("messages of other tabs to the session watch", () => {
  it("watchSession ignores malformed messages and keeps refreshing", async () => {
    const page = openPage();
    vi.useFakeTimers({ toFake: ["Date"] });
    const { fetch, asked } = createTestServer(() => ada);
    const client = createAuthClient({ fetch });
    const watch = client.watchSession({ session: ada });
    let notifications = 0;
    const stop = watch.subscribe(() => notifications++);
    const channel = new BroadcastChannel("keyhook /auth");
    const at = Date.now();
    const nonsense: unknown[] = [
      null,
      "x",
      7,
      [],
      {},
      { at: "now", session: null },
      { at: Number.NaN, session: null },
      { at: Number.POSITIVE_INFINITY, session: null },
      { at, session: "Eve" },
      { at, session: 7 },
      { at, session: [ada] },
      { at, failure: "x" },
      { at, failure: {} },
      { at },
      { event: "session", data: { trigger: "signout" } },
    ];
    for (const message of nonsense) channel.postMessage(message);
    await settle(100);
    expect(watch.read()).toEqual({ status: "authenticated", data: ada, error: null });
    expect(notifications).toBe(0);
    // The watch still refreshes on focus.
    vi.setSystemTime(at + 60_000);
    page.focus();
    await settle();
    expect(asked).toEqual(["GET /auth/session"]);
    channel.postMessage({ at: Date.now(), session: null });
    await vi.waitFor(() => expect(watch.read().status).toBe("unauthenticated"));
    channel.close();
    stop();
  });

  afterEach(() => void vi.useRealTimers());
});

describe("errors of the client", () => {
  it("results and errors contain no password, CSRF token or response body", async () => {
    openPage();
    const secret = "correct horse battery";
    const { fetch } = createTestServer((path, { method }) => {
      if (path.endsWith("/csrf")) return { csrfToken: "the-csrf-token" };
      if (path.endsWith("/providers")) return { pw: { id: "pw", type: "credentials" } };
      if (method === "POST") throw new TypeError("Failed to fetch");
      return new Response("<h1>secret page</h1>", { status: 502 });
    });
    const client = createAuthClient({ fetch });
    const seen: unknown[] = [
      await client.signIn("pw", { password: secret, ...quiet }),
      await client.signOut(quiet),
      await client.getSession().catch((error: unknown) => error),
      await client.update({ password: secret }).catch((error: unknown) => error),
    ];
    const text = inspect(seen, { depth: 10 });
    for (const hidden of [secret, "the-csrf-token", "secret page"]) {
      expect(text).not.toContain(hidden);
    }
  });
});

describe("the client on a server that renders concurrent requests", () => {
  const Who: FunctionComponent = () =>
    createElement("p", null, useSession().data?.user?.name ?? "");
  const VueWho = defineComponent({
    setup() {
      const { data } = useVueSession();
      return () => h("p", data.value?.user?.name ?? "");
    },
  });

  it("concurrent renders do not see each other's session", async () => {
    const visitors = Array.from({ length: 40 }, (_, number) => ({
      ...ada,
      user: { name: `visitor-${number}` },
    }));
    const pages = visitors.flatMap((session) => [
      (async () =>
        renderToString(createElement(SessionProvider, { session }, createElement(Who))))(),
      renderVue(createSSRApp(VueWho).use(authPlugin({ session }))),
      (async () => {
        const store = sessionStore({ session });
        await settle(1);
        let text = "";
        store.subscribe(({ data }) => (text = `<p>${data?.user?.name}</p>`))();
        store.set(null);
        return text;
      })(),
    ]);
    const expected = visitors.flatMap(({ user }) => Array(3).fill(`<p>${user.name}</p>`));
    expect(await Promise.all(pages)).toEqual(expected);
    // None of their sessions remained in the shared client.
    expect(authClient.watchSession().read().status).toBe("loading");
    expect(renderToString(createElement(SessionProvider, null, createElement(Who)))).toBe(
      "<p></p>",
    );
  });

  it("a client does not notify subscribers of another client", async () => {
    const heard: string[] = [];
    const people = ["ada", "eve"].map((name) => {
      const { fetch } = createTestServer(() => ({ ...ada, user: { name } }));
      const client = createAuthClient({ baseUrl: ORIGIN, fetch });
      client.watchSession().subscribe(() => heard.push(name));
      return client;
    });
    const names = await Promise.all(
      Array.from({ length: 20 }, (_, at) => people[at % 2]?.getSession()),
    );
    expect(names.map((session) => session?.user?.name)).toEqual(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? "eve" : "ada")),
    );
    expect(heard).toEqual([]);
  });
});
