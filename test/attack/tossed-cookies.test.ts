import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { standardPreset } from "../../presets/index.ts";
import { AmbiguousSession } from "../../src/errors.ts";
import { getToken } from "../../src/jwt.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import { findHandles } from "../../src/signin/checks.ts";
import { ORIGIN, SECRET, setCookieNames, type TestAuth } from "../_app.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";
import { runs, watchRejections } from "./_attack.ts";

watchRejections();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T00:00:00.000Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

const NAME = "authjs.session-token";
const SITE = "http://localhost:3000";

const big = {
  callbacks: {
    jwt: ({ token }: { token: object }) => ({ ...token, big: "x".repeat(8000) }),
  },
} as AuthConfig;

type Pair = [name: string, value: string];

interface Kind {
  /** Whether each read of several cookies looks the session up and sets its cookie again. */
  renews?: true;
  app(config?: AuthConfig): TestAuth;
  enter(app: TestAuth, name: string): Promise<Pair[]>;
}

const providers: AuthConfig["providers"] = [];

async function enterByClaims(app: TestAuth, name: string): Promise<Pair[]> {
  const browser = app.openBrowser();
  await (app as ReturnType<typeof createClaimsApp>).signIn(
    { sub: name, name, email: `${name.toLowerCase()}@example.com` },
    browser,
  );
  vi.setSystemTime(Date.now() + 60_000);
  return [...browser.cookies].filter(([cookie]) => cookie.startsWith(NAME));
}

const claimsApp = (config: AuthConfig): TestAuth =>
  createClaimsApp({ errors: "allowed", preset: standardPreset, providers, ...config });

const KINDS: Record<string, Kind> = {
  database: { app: (config = {}) => claimsApp(config), enter: enterByClaims },
  jwt: {
    app: (config = {}) => claimsApp({ ...config, session: { strategy: "jwt" } }),
    enter: enterByClaims,
  },
  hybrid: {
    app: (config = {}) => claimsApp({ ...config, session: { strategy: "hybrid" } }),
    enter: enterByClaims,
    renews: true,
  },
  "jwt in chunks": {
    app: (config = {}) => claimsApp({ ...big, ...config, session: { strategy: "jwt" } }),
    enter: enterByClaims,
  },
};

const join = (pairs: readonly Pair[]) => pairs.map((pair) => pair.join("=")).join("; ");

const read = (app: TestAuth, pairs: readonly Pair[], path = "/auth/session") =>
  app.auth.fetch(new Request(SITE + path, { headers: { cookie: join(pairs) } }));

async function expectRead(app: TestAuth, pairs: readonly Pair[], name: string | null) {
  const response = await read(app, pairs);
  expect(response.status).toBe(200);
  const session = (await response.json()) as { user?: { name?: string } } | null;
  expect(session?.user?.name ?? null, join(pairs).slice(0, 200)).toBe(name);
  return response;
}

async function getPair(app: TestAuth, pairs: readonly Pair[]) {
  const response = await read(app, pairs, "/auth/csrf");
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  const [csrf = ""] = (response.headers.getSetCookie()[0] ?? "").split(";");
  return { csrfToken, cookie: csrf.split("=") as Pair };
}

async function post(app: TestAuth, pairs: readonly Pair[], path: string, fields = {}) {
  const { csrfToken, cookie } = await getPair(app, pairs);
  return app.auth.fetch(
    new Request(SITE + path, {
      method: "POST",
      headers: { cookie: join([...pairs, cookie]), origin: SITE },
      body: new URLSearchParams({ csrfToken, ...fields }),
    }),
  );
}

const long = (text: string) => text.repeat(3936).slice(0, 3936);

// What a sibling host can set, before or after the application's own cookies.
const JUNK: Record<string, Pair[]> = {
  "one namesake": [[NAME, "junk"]],
  "six namesakes": Array.from({ length: 6 }, (_, at): Pair => [NAME, `junk${at}`]),
  "a hundred namesakes": Array.from({ length: 100 }, (_, at): Pair => [NAME, `junk${at}`]),
  "twenty namesakes in the form of a token": Array.from({ length: 20 }, (_, at): Pair => [
    NAME,
    `ey${at}..a.b.c`,
  ]),
  "twenty namesakes in the form of a random token": Array.from({ length: 20 }, (_, at): Pair => [
    NAME,
    `00000000-0000-0000-0000-0000000000${10 + at}`,
  ]),
  "a part": [[`${NAME}.0`, "junk"]],
  "ten parts": Array.from({ length: 10 }, (_, at): Pair => [`${NAME}.${at}`, "junk"]),
  "twenty of each of ten parts": Array.from({ length: 200 }, (_, at): Pair => [
    `${NAME}.${at % 10}`,
    `junk${at}`,
  ]),
  "a part of full size": [[`${NAME}.0`, long("x")]],
  "three parts of full size": [0, 1, 2].map((at): Pair => [`${NAME}.${at}`, long(`${at}`)]),
  "an empty one": [[NAME, ""]],
  "an empty part": [[`${NAME}.0`, ""]],
  "a part behind the last one": [[`${NAME}.3`, "junk"]],
  "forty parts behind all that are read": Array.from({ length: 40 }, (_, at): Pair => [
    `${NAME}.${at + 10}`,
    "junk",
  ]),
};

describe.each(Object.entries(KINDS))("junk cookies with the name of the session: %s", (_, kind) => {
  it.each(Object.entries(JUNK))(
    "%s signs no one out, before and after the session cookie",
    async (_name, junk) => {
      const app = kind.app();
      const own = await kind.enter(app, "Ada");
      for (const pairs of [
        [...junk, ...own],
        [...own, ...junk],
        [...junk, ...own, ...junk],
      ]) {
        const response = await expectRead(app, pairs, "Ada");
        if (!kind.renews) expect(setCookieNames(response)).toEqual([]);
      }
      const left = await post(app, [...junk, ...own], "/auth/signout");
      expect(left.headers.get("location")).not.toContain("error");
      // The response is bounded: at most the whole cookie, its ten parts and the CSRF token.
      const cleared = setCookieNames(left);
      expect(cleared).toEqual(expect.arrayContaining(own.map(([name]) => name)));
      expect(cleared.length).toBeLessThan(15);
    },
  );

  it.each(Object.entries(JUNK))("%s does not prevent a sign-in", async (_name, junk) => {
    const app = kind.app();
    await expectRead(app, junk, null);
    const own = await kind.enter(app, "Ada");
    await expectRead(app, [...junk, ...own], "Ada");
  });

  it("junk in any order signs no one out", async () => {
    const app = kind.app();
    const own = await kind.enter(app, "Ada");
    const tossed = fc.array(fc.constantFrom(...Object.values(JUNK).flat()), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(tossed, fc.func(fc.boolean()), async (junk, isBefore) => {
        const before = junk.filter((pair) => isBefore(pair));
        await expectRead(app, [...before, ...own, ...junk], "Ada");
      }),
      runs(100),
    );
  });

  it("nothing is cleared while there are several cookies of the name", async () => {
    const app = kind.app();
    const junk: Pair[] = [
      [NAME, "one"],
      [NAME, "two"],
    ];
    expect(setCookieNames(await expectRead(app, junk, null))).toEqual([]);
    expect(setCookieNames(await expectRead(app, [junk[0] as Pair], null))).toEqual([NAME]);
  });
});

describe("a tossed cookie of a user whose sessions the `jwt` callback ends", () => {
  const start = async () => {
    let isBanned = false;
    const app = claimsApp({
      session: { strategy: "jwt" },
      callbacks: { jwt: ({ token }) => (isBanned && token.name === "Eve" ? null : token) },
    });
    const { enter } = KINDS.jwt as Kind;
    const [eve, ada] = [await enter(app, "Eve"), await enter(app, "Ada")];
    isBanned = true;
    return { app, eve, ada };
  };

  it("neither hides nor clears the visitor's session", async () => {
    const { app, eve, ada } = await start();
    for (const pairs of [
      [...eve, ...ada],
      [...ada, ...eve],
    ]) {
      expect(setCookieNames(await expectRead(app, pairs, "Ada"))).toEqual([]);
    }
  });

  it("is cleared if it is the only one", async () => {
    const { app, eve } = await start();
    expect(setCookieNames(await expectRead(app, eve, null))).toEqual([NAME]);
  });
});

describe.each(Object.entries(KINDS))("sessions of two people in one browser: %s", (_, kind) => {
  const two = async () => {
    const app = kind.app();
    const ada = await kind.enter(app, "Ada");
    const eve = await kind.enter(app, "Eve");
    return { app, ada, eve, orders: [[...ada, ...eve] as Pair[], [...eve, ...ada] as Pair[]] };
  };

  it("the session that began first is read, in any order", async () => {
    const { app, orders } = await two();
    for (const pairs of orders) {
      await expectRead(app, pairs, "Ada");
      const call = new Request(SITE, { headers: { cookie: join(pairs) } });
      expect(await app.auth.getSession(call)).toMatchObject({ user: { name: "Ada" } });
      expect(await app.auth.requireSession(call)).toMatchObject({ user: { name: "Ada" } });
    }
  });

  it("every route that changes something refuses", async () => {
    const { app, ada, eve, orders } = await two();
    for (const pairs of orders) {
      for (const path of ["/auth/signout", "/auth/signin/claims", "/auth/callback/claims"]) {
        const response = await post(app, pairs, path, { claims: "{}" });
        expect(response.headers.get("location"), path).toContain("error=AmbiguousSession");
        expect(setCookieNames(response)).toEqual([]);
      }
      const update = await post(app, pairs, "/auth/session");
      expect(update.status).toBe(409);
      expect(await update.json()).toMatchObject({ error: "AmbiguousSession" });
      const callback = await read(app, pairs, "/auth/callback/claims?state=x");
      expect(callback.headers.get("location")).toContain("error=AmbiguousSession");
    }
    await expectRead(app, ada, "Ada");
    await expectRead(app, eve, "Eve");
  });

  it("every server function that changes something refuses", async () => {
    const { app, ada, eve, orders } = await two();
    for (const pairs of orders) {
      const call = new Request(`${SITE}/page`, {
        method: "POST",
        headers: { cookie: join(pairs) },
      });
      const { auth } = app;
      await expect(auth.signOut(call)).rejects.toThrow(AmbiguousSession);
      await expect(auth.update(call, {})).rejects.toThrow(AmbiguousSession);
      await expect(auth.signIn(call, "claims")).rejects.toThrow(AmbiguousSession);
      await expect(auth.requireSession(call)).rejects.toThrow(AmbiguousSession);
      expect((await auth.authorize(call))?.status).toBe(409);
    }
    await expectRead(app, ada, "Ada");
    await expectRead(app, eve, "Eve");
  });

  it("authorize() refuses a POST even when the sessions are due to be extended", async () => {
    const { app, orders } = await two();
    vi.setSystemTime(Date.now() + 2 * 86_400_000);
    for (const pairs of orders) {
      const headers = { cookie: join(pairs) };
      const { auth } = app;
      const call = new Request(`${SITE}/page`, { method: "POST", headers });
      expect((await auth.authorize(call))?.status).toBe(409);
      expect(await auth.authorize(new Request(`${SITE}/page`, { headers }))).toBeUndefined();
    }
  });

  it.each(["signIn", "signOut", "update", "requireSession", "authorize"] as const)(
    "%s() refuses even after an earlier read of the request has extended one of the sessions",
    async (verb) => {
      for (const at of [0, 1]) {
        const { app, orders } = await two();
        vi.setSystemTime(Date.now() + 2 * 86_400_000);
        const headers = { cookie: join(orders[at] ?? []) };
        const req = new Request(`${SITE}/page`, { method: "POST", headers });
        const event = { req, res: { headers: new Headers() } };
        expect(await app.auth.getSession(event)).toMatchObject({ user: { name: "Ada" } });
        expect(event.res.headers.getSetCookie()).not.toEqual([]);
        const { auth } = app;
        if (verb === "authorize") expect((await auth.authorize(event))?.status).toBe(409);
        else {
          const done = verb === "signIn" ? auth.signIn(event, "claims") : auth[verb](event, {});
          await expect(done).rejects.toThrow(AmbiguousSession);
        }
      }
    },
  );

  it("two sessions of one person are no conflict, and a sign-out ends both if they are stored", async () => {
    const app = kind.app();
    const first = await kind.enter(app, "Ada");
    const second = await kind.enter(app, "Ada");
    const response = await post(app, [...first, ...second], "/auth/signout");
    expect(response.headers.get("location")).not.toContain("error");
    if (kind !== KINDS.database) return;
    await expectRead(app, first, null);
    await expectRead(app, second, null);
  });
});

it("a sign-out with several cookies emits the token of the session that ended, if there was one", async () => {
  const tokens: unknown[] = [];
  const kind = KINDS.jwt as Kind;
  const app = kind.app({
    events: { signOut: (message) => void tokens.push((message as { token: unknown }).token) },
  });
  const own = await kind.enter(app, "Ada");
  const junk = JUNK["six namesakes"] as Pair[];
  for (const pairs of [[...junk, ...own], [...own, ...junk], junk])
    await post(app, pairs, "/auth/signout");
  const ofAda = expect.objectContaining({ name: "Ada" });
  expect(tokens).toEqual([ofAda, ofAda, null]);
});

describe("several session cookies in getToken()", () => {
  it("getToken() finds the same session as the server", async () => {
    const kind = KINDS["jwt in chunks"] as Kind;
    const app = kind.app();
    const ada = await kind.enter(app, "Ada");
    const eve = await kind.enter(app, "Eve");
    const junk = Object.values(JUNK).map((tossed) => [...tossed, ...ada]);
    for (const pairs of [...junk, [...eve, ...ada], [...ada, ...eve], ada]) {
      const req = { headers: { cookie: join(pairs) } };
      expect(await getToken({ req, secret: SECRET })).toMatchObject({ name: "Ada" });
    }
  });
});

describe("several cookies of an attempt", () => {
  it("junk before and after the cookies of an attempt does not prevent a sign-in", async () => {
    const app = createClaimsApp({ errors: "allowed", preset: standardPreset });
    const { browser } = app;
    const started = await app.startSignIn();
    const state = new URL(started.headers.get("location") ?? "").searchParams.get("state") ?? "";
    const own = [...browser.cookies] as Pair[];
    const junk = own.map(([name]): Pair => [name, "ey..a.b.c"]);
    const csrfToken = await browser.csrfToken();
    const response = await app.auth.fetch(
      new Request(`${SITE}/auth/callback/claims`, {
        method: "POST",
        headers: { cookie: join([...junk, ...own, ...junk]), origin: ORIGIN },
        body: new URLSearchParams({ csrfToken, state, claims: JSON.stringify({ sub: "ada" }) }),
      }),
    );
    expect(app.log.errors).toEqual([]);
    expect(setCookieNames(response)).toContain(NAME);
  });

  it("at most 32 names of other attempts are read", () => {
    const names = Array.from({ length: 300 }, (_, at) => `state.${String(at).padStart(12, "x")}`);
    const cookies = { names: () => names, spec: () => ({ name: "state", attributes: {} }) };
    expect(findHandles({ cookies } as never, ["csrfToken"])).toHaveLength(32);
  });

  it("junk with names of other attempts neither ends an attempt nor fills the response", async () => {
    const app = createClaimsApp({ errors: "allowed", preset: standardPreset });
    const { browser } = app;
    const states: string[] = [];
    const junk = Array.from({ length: 300 }, (_unused, at): Pair => [
      `authjs.state.${String(at).padStart(12, "x")}`,
      at % 2 ? "junk" : "ey..a.b.c",
    ]);
    for (const place of ["before", "behind"]) {
      for (let tab = 0; tab < 3; tab++) {
        const own = [...browser.cookies] as Pair[];
        const { csrfToken, cookie } = await getPair(app, own);
        const sent = place === "before" ? [...junk, ...own] : [...own, ...junk];
        const response = await app.auth.fetch(
          new Request(`${SITE}/auth/signin/claims`, {
            method: "POST",
            headers: { cookie: join([...sent, cookie]), origin: SITE },
            body: new URLSearchParams({ csrfToken }),
          }),
        );
        const set = response.headers.getSetCookie();
        expect(set.length).toBeLessThan(8);
        for (const [name = "", value = ""] of set.map((one) => one.split(/[=;]/, 2))) {
          if (value) browser.cookies.set(name, value);
          else browser.cookies.delete(name);
        }
        const url = new URL(response.headers.get("location") ?? "");
        states.push(url.searchParams.get("state") ?? "");
      }
    }
    const own = [...browser.cookies] as Pair[];
    const { csrfToken, cookie } = await getPair(app, own);
    for (const state of states.slice(-4)) {
      const body = new URLSearchParams({ csrfToken, state, claims: '{"sub":"ada"}' });
      const headers = { cookie: join([...junk, ...own, cookie]), origin: SITE };
      const request = new Request(`${SITE}/auth/callback/claims`, {
        method: "POST",
        headers,
        body,
      });
      expect(setCookieNames(await app.auth.fetch(request))).toContain(NAME);
    }
  });

  it("next to a planted cookie, the account page ends the other sessions and keeps this one", async () => {
    const kind = KINDS.database as Kind;
    const app = kind.app();
    const other = await kind.enter(app, "Ada");
    const own = await kind.enter(app, "Ada");
    const junk: Pair[] = [[NAME, "junk"]];
    const response = await post(app, [...junk, ...own], "/auth/account", { sessions: "others" });
    expect(response.headers.get("location")).toContain("done");
    await expectRead(app, own, "Ada");
    await expectRead(app, other, null);
  });
});
