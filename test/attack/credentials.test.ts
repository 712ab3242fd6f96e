import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { CredentialsProvider } from "../../plugins/flows/credentials/provider.ts";
import type { User } from "../../src/kernel.ts";
import { ADA, createTestAuth, credentials, LOVELACE, queryOf, ORIGIN } from "../_app.ts";
import {
  ask,
  encodings,
  type Fields,
  givesSession,
  post,
  runs,
  stranger,
  watchRejections,
  wellFormed,
} from "./_attack.ts";

watchRejections();

const CALLBACK = `${ORIGIN}/auth/callback/credentials`;

/** Creates an application whose `authorize` is a spy. */
async function listening(over: Partial<CredentialsProvider> = {}) {
  const authorize = vi.fn<CredentialsProvider["authorize"]>(() => null);
  const app = createTestAuth({ providers: [credentials({ authorize, ...over })] });
  return { app, authorize, who: await stranger(app) };
}

const VALUES: unknown[] = [
  "",
  " ",
  "ada\u0000",
  "\u0000",
  "ada' OR '1'='1",
  "ada\r\nX-Injected: 1",
  "\ud83d\ude00",
  "e\u0301",
  "\u00e9",
  "\u202eada",
  "ada\ufeff",
  "A".repeat(50_000),
  0,
  -0,
  1e308,
  true,
  false,
  null,
  [],
  ["ada"],
  [["ada"]],
  {},
  { $ne: null },
  { $gt: "" },
  { toString: "ada" },
  { toJSON: "ada" },
  { length: 3, 0: "a", 1: "d", 2: "a" },
  { constructor: { prototype: { polluted: true } } },
];

describe("POST /callback/credentials with arbitrary fields", () => {
  it("POST /callback/credentials rejects usernames and passwords of any JSON type", async () => {
    const app = createTestAuth();
    const who = await stranger(app);
    for (const username of VALUES) {
      for (const password of ["lovelace", ["lovelace"], username]) {
        await ask(app, post(CALLBACK, { ...who, username, password }, "json"));
      }
    }
  });

  it("POST /callback/credentials passes texts to `authorize` unchanged, and no other values", async () => {
    const { app, authorize, who } = await listening();
    for (const username of VALUES) {
      authorize.mockClear();
      await ask(app, post(CALLBACK, { ...who, username }, "json"));
      if (typeof username === "string" || username === null) {
        expect(authorize.mock.lastCall?.[0].username).toBe(username ?? undefined);
      } else {
        expect(authorize).not.toHaveBeenCalled();
      }
    }
    const texts = VALUES.filter((one): one is string => typeof one === "string");
    for (const username of texts) {
      for (const encoding of ["form", "multipart"]) {
        await ask(app, post(CALLBACK, { ...who, username }, encoding));
        // The browser normalizes the line breaks of a form (HTML standard).
        expect(authorize.mock.lastCall?.[0].username).toBe(username);
      }
    }
  });

  it("POST /callback/credentials does not truncate or change long passwords (ASVS 6.2)", async () => {
    const { app, authorize, who } = await listening();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 64, maxLength: 300 }),
        async (password) => {
          await ask(app, post(CALLBACK, { ...who, password }, "json"));
          expect(authorize.mock.lastCall?.[0].password).toBe(wellFormed(password));
        },
      ),
      runs(60),
    );
  });

  it("POST /callback/credentials rejects any JSON object without the correct password", async () => {
    const app = createTestAuth();
    const { cookie, csrfToken } = await stranger(app);
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom("ada", "lovelace"));
    const fields = fc.dictionary(
      fc.oneof(
        fc.constantFrom("username", "password", "__proto__", "constructor", "toString", "redirect"),
        fc.string(),
      ),
      value,
    );
    await fc.assert(
      fc.asyncProperty(fields, async (given) => {
        fc.pre(!(given.username === "ada" && given.password === "lovelace"));
        const body = JSON.stringify({ ...given, csrfToken });
        const headers = { cookie, origin: ORIGIN, "content-type": "application/json" };
        await ask(app, new Request(CALLBACK, { method: "POST", headers, body }));
      }),
      runs(200),
    );
  });

  it("POST /callback/credentials rejects a JSON body that is not an object", async () => {
    const app = createTestAuth();
    const { cookie } = await stranger(app);
    for (const body of [
      "null",
      "1",
      '"x"',
      "[]",
      "true",
      '[{"username":"ada"}]',
      "",
      " ",
      "\ufeff{}",
      "{}{}",
      "NaN",
    ]) {
      const headers = { cookie, origin: ORIGIN, "content-type": "application/json" };
      const response = await ask(app, new Request(CALLBACK, { method: "POST", headers, body }));
      expect([302, 400]).toContain(response.status);
    }
  });
});

describe("field names of Object.prototype", () => {
  const NAMES = [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "valueOf",
    "hasOwnProperty",
    "__defineGetter__",
    "then",
    "length",
  ];

  it("POST /callback/credentials pollutes no prototype through field names", async () => {
    const { app, authorize, who } = await listening({ credentials: {} });
    for (const name of NAMES) {
      for (const [encoding, init] of Object.entries(encodings)) {
        const sent = init(Object.fromEntries([...Object.entries({ ...who }), [name, "polluted"]]));
        const headers = { ...(sent.headers as object), cookie: who.cookie, origin: ORIGIN };
        await ask(app, new Request(CALLBACK, { method: "POST", ...sent, headers }));
        const [fields] = authorize.mock.lastCall as unknown as [Record<string, unknown>];
        expect(Object.getPrototypeOf(fields), `${name} as ${encoding}`).toBeNull();
      }
    }
    const deep = `{"csrfToken":"${who.csrfToken}","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}`;
    const headers = { cookie: who.cookie, origin: ORIGIN, "content-type": "application/json" };
    await ask(app, new Request(CALLBACK, { method: "POST", headers, body: deep }));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const escaped = deep.replace("__proto__", "\\u005f_proto__");
    await ask(app, new Request(CALLBACK, { method: "POST", headers, body: escaped }));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(authorize.mock.lastCall?.[0] ?? {})).not.toContain("__proto__");
  });

  it("POST /callback/credentials passes no inherited value to `authorize`", async () => {
    const { app, authorize, who } = await listening({
      credentials: { toString: {}, constructor: {} } as never,
    });
    await ask(app, post(CALLBACK, { ...who }, "json"));
    const [fields] = authorize.mock.lastCall as unknown as [Record<string, unknown>];
    expect(Object.hasOwn(fields, "toString")).toBe(false);
    // The sign-in page that lists these fields still renders.
    await ask(app, new Request(`${ORIGIN}/auth/signin`, { headers: { accept: "text/html" } }));
  });
});

describe("unknown user and wrong password (R15)", () => {
  it("POST /callback/credentials returns byte-identical responses for an unknown user and a wrong password", async () => {
    const app = createTestAuth();
    const submit = async (fields: Fields) => {
      const who = await stranger(app);
      const response = await ask(app, post(CALLBACK, { ...who, ...fields }));
      return {
        status: response.status,
        headers: [...response.headers],
        text: await response.text(),
      };
    };
    const nobody = await submit({ username: "nobody", password: "x" });
    for (const fields of [
      { username: "ada", password: "wrong" },
      { username: "ada", password: "" },
      { username: "ada" },
      { password: "lovelace" },
      {},
      { username: ADA.email, password: "x".repeat(1000) },
    ]) {
      expect(await submit(fields)).toEqual(nobody);
    }
  });

  it("POST /callback/credentials keeps the current session when the password is wrong", async () => {
    const app = createTestAuth();
    const { browser } = app;
    await browser.signInWith("credentials", LOVELACE);
    await browser.signInWith("credentials", { username: "ada", password: "wrong" });
    app.log.expectErrors("CredentialsSignin");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("return values of `authorize`", () => {
  const results: unknown[] = [null, undefined, false, 0, "", Number.NaN];
  it("POST /callback/credentials signs in no one when `authorize` returns an empty value", async () => {
    for (const result of results) {
      const { app, who } = await listening({ authorize: () => result as User | null });
      await ask(app, post(CALLBACK, { ...who, ...LOVELACE }));
    }
  });

  it("POST /callback/credentials starts a session for a user id of any text", async () => {
    for (const id of ["0", "__proto__", "constructor", "a\u0000b", "é", "x".repeat(1000)]) {
      const { app, who } = await listening({ authorize: () => ({ id, name: "Odd" }) });
      const response = await ask(app, post(CALLBACK, { ...who, ...LOVELACE }), { mayEnter: true });
      expect(givesSession(response)).toBe(true);
    }
  });

  it("POST /callback/credentials refuses a user with an empty id, which all such users would share", async () => {
    const { app, who } = await listening({ authorize: () => ({ id: "", name: "Odd" }) });
    const response = await app.auth.fetch(post(CALLBACK, { ...who, ...LOVELACE }));
    expect(givesSession(response)).toBe(false);
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    app.log.expectErrors("InvalidIdentity");
  });

  it("GET /session returns user fields as JSON, never as HTML", async () => {
    const name = "</script><svg onload=alert(1)>\u2028";
    const { app } = await listening({
      authorize: () => ({ id: "1", name, email: name, image: name }),
    });
    await app.browser.signInWith("credentials", LOVELACE);
    const response = await app.browser.get("/auth/session");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(await response.json()).toMatchObject({ user: { name } });
  });

  it("authorize receives a request whose body can be read again", async () => {
    const seen: unknown[] = [];
    const { app, who } = await listening({
      authorize: async (_, request) => {
        seen.push(await request.json());
        return null;
      },
    });
    for (const encoding of Object.keys(encodings)) {
      await ask(app, post(CALLBACK, { ...who, ...LOVELACE }, encoding));
      expect(seen.pop(), encoding).toMatchObject(LOVELACE);
    }
  });
});

describe("GET with credentials in the query", () => {
  it("GET and HEAD start no session, whatever their query contains", async () => {
    const app = createTestAuth();
    const { cookie, csrfToken } = await stranger(app);
    const query = new URLSearchParams({ ...LOVELACE, csrfToken });
    for (const path of ["callback/credentials", "signin/credentials", "signin", "session"]) {
      for (const method of ["GET", "HEAD"]) {
        const request = new Request(`${ORIGIN}/auth/${path}?${query}`, {
          method,
          headers: { cookie },
        });
        await ask(app, request);
      }
    }
  });
});
