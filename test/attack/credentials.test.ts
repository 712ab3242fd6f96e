import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { CredentialsProvider, User } from "../../src/index.ts";
import { ADA, createHouse, credentials, LOVELACE, ORIGIN } from "../_setup.ts";
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

const URL_OF = `${ORIGIN}/auth/callback/credentials`;

/** A house that notes what reaches `authorize`. */
async function listening(over: Partial<CredentialsProvider> = {}) {
  const authorize = vi.fn<CredentialsProvider["authorize"]>(() => null);
  const house = createHouse({ providers: [credentials({ authorize, ...over })] });
  return { house, authorize, who: await stranger(house) };
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

describe("what is posted as credentials", () => {
  it("of any type lets nobody in, and is no fault of ours", async () => {
    const house = createHouse();
    const who = await stranger(house);
    for (const username of VALUES) {
      for (const password of ["lovelace", ["lovelace"], username]) {
        await ask(house, post(URL_OF, { ...who, username, password }, "json"));
      }
    }
  });

  it("reaches `authorize` exactly as it was", async () => {
    const { house, authorize, who } = await listening();
    for (const username of VALUES) {
      await ask(house, post(URL_OF, { ...who, username }, "json"));
      expect(authorize.mock.lastCall?.[0].username).toEqual(JSON.parse(JSON.stringify(username)));
    }
    const texts = VALUES.filter((one): one is string => typeof one === "string");
    for (const username of texts) {
      for (const encoding of ["form", "multipart"]) {
        await ask(house, post(URL_OF, { ...who, username }, encoding));
        // A form's line ends are the browser's (HTML standard).
        expect(authorize.mock.lastCall?.[0].username).toBe(username);
      }
    }
  });

  it("is neither cut nor changed, however long (ASVS 6.2)", async () => {
    const { house, authorize, who } = await listening();
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 64, maxLength: 300 }),
        async (password) => {
          await ask(house, post(URL_OF, { ...who, password }, "json"));
          expect(authorize.mock.lastCall?.[0].password).toBe(wellFormed(password));
        },
      ),
      runs(60),
    );
  });

  it("of any JSON lets nobody in", async () => {
    const house = createHouse();
    const { cookie, csrfToken } = await stranger(house);
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
        await ask(house, new Request(URL_OF, { method: "POST", headers, body }));
      }),
      runs(200),
    );
  });

  it("that is no object is refused", async () => {
    const house = createHouse();
    const { cookie } = await stranger(house);
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
      const response = await ask(house, new Request(URL_OF, { method: "POST", headers, body }));
      expect([302, 400]).toContain(response.status);
    }
  });
});

describe("a field named like a prototype's", () => {
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

  it("changes nobody's prototype", async () => {
    const { house, authorize, who } = await listening();
    for (const name of NAMES) {
      for (const [encoding, init] of Object.entries(encodings)) {
        const sent = init(Object.fromEntries([...Object.entries({ ...who }), [name, "polluted"]]));
        const headers = { ...(sent.headers as object), cookie: who.cookie, origin: ORIGIN };
        await ask(house, new Request(URL_OF, { method: "POST", ...sent, headers }));
        const [fields] = authorize.mock.lastCall as unknown as [Record<string, unknown>];
        expect(Object.getPrototypeOf(fields), `${name} as ${encoding}`).toBe(Object.prototype);
      }
    }
    const deep = `{"csrfToken":"${who.csrfToken}","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}`;
    const headers = { cookie: who.cookie, origin: ORIGIN, "content-type": "application/json" };
    await ask(house, new Request(URL_OF, { method: "POST", headers, body: deep }));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    const escaped = deep.replace("__proto__", "\\u005f_proto__");
    await ask(house, new Request(URL_OF, { method: "POST", headers, body: escaped }));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(Object.keys(authorize.mock.lastCall?.[0] ?? {})).not.toContain("__proto__");
  });

  it("is not asked of an object that lacks it: `username` has no inherited value", async () => {
    const { house, authorize, who } = await listening({
      credentials: { toString: {}, constructor: {} } as never,
    });
    await ask(house, post(URL_OF, { ...who }, "json"));
    const [fields] = authorize.mock.lastCall as unknown as [Record<string, unknown>];
    expect(Object.hasOwn(fields, "toString")).toBe(false);
    // The page that lists them is drawn all the same.
    await ask(house, new Request(`${ORIGIN}/auth/signin`, { headers: { accept: "text/html" } }));
  });
});

describe("a stranger and a wrong password (R15)", () => {
  it("get the same answer to the byte", async () => {
    const house = createHouse();
    const told = async (fields: Fields) => {
      const who = await stranger(house);
      const response = await ask(house, post(URL_OF, { ...who, ...fields }));
      return {
        status: response.status,
        headers: [...response.headers],
        text: await response.text(),
      };
    };
    const nobody = await told({ username: "nobody", password: "x" });
    for (const fields of [
      { username: "ada", password: "wrong" },
      { username: "ada", password: "" },
      { username: "ada" },
      { password: "lovelace" },
      {},
      { username: ADA.email, password: "x".repeat(1000) },
    ]) {
      expect(await told(fields)).toEqual(nobody);
    }
  });

  it("leave the browser's session as it was", async () => {
    const house = createHouse();
    const { browser } = house;
    await browser.signInWith("credentials", LOVELACE);
    await browser.signInWith("credentials", { username: "ada", password: "wrong" });
    house.log.expectErrors("CredentialsSignin");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("`authorize` that answers nonsense", () => {
  const answers: unknown[] = [null, undefined, false, 0, "", Number.NaN];
  it("of the empty kind lets nobody in", async () => {
    for (const answer of answers) {
      const { house, who } = await listening({ authorize: () => answer as User | null });
      await ask(house, post(URL_OF, { ...who, ...LOVELACE }));
    }
  });

  it("gives each person of any id a session that is theirs", async () => {
    for (const id of ["", "0", "__proto__", "constructor", "a\u0000b", "é", "x".repeat(1000)]) {
      const { house, who } = await listening({ authorize: () => ({ id, name: "Odd" }) });
      const response = await ask(house, post(URL_OF, { ...who, ...LOVELACE }), { mayEnter: true });
      expect(givesSession(response)).toBe(true);
    }
  });

  it("prints what it knows of a person as JSON, never as markup", async () => {
    const name = "</script><svg onload=alert(1)>\u2028";
    const { house } = await listening({
      authorize: () => ({ id: "1", name, email: name, image: name }),
    });
    await house.browser.signInWith("credentials", LOVELACE);
    const response = await house.browser.get("/auth/session");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(await response.json()).toMatchObject({ user: { name } });
  });

  it("hands `authorize` a request that can be read again", async () => {
    const seen: unknown[] = [];
    const { house, who } = await listening({
      authorize: async (_, request) => {
        seen.push(await request.json());
        return null;
      },
    });
    for (const encoding of Object.keys(encodings)) {
      await ask(house, post(URL_OF, { ...who, ...LOVELACE }, encoding));
      expect(seen.pop(), encoding).toMatchObject(LOVELACE);
    }
  });
});

describe("GET", () => {
  it("signs nobody in, whatever its query", async () => {
    const house = createHouse();
    const { cookie, csrfToken } = await stranger(house);
    const query = new URLSearchParams({ ...LOVELACE, csrfToken });
    for (const path of ["callback/credentials", "signin/credentials", "signin", "session"]) {
      for (const method of ["GET", "HEAD"]) {
        const request = new Request(`${ORIGIN}/auth/${path}?${query}`, {
          method,
          headers: { cookie },
        });
        await ask(house, request);
      }
    }
  });
});
