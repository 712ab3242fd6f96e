import { describe, expect, it } from "vitest";
import { type Kind, isInstalled, loadLibraries } from "./_libraries.ts";

const SALT = "authjs.session-token";
const OLD = "an older secret of 32 characters";
const NEW = "a newer secret of 32 characters.";
const token = { sub: "42", name: "Ada", roles: ["admin", { of: "x" }], n: 1.5, none: null };

describe.skipIf(!isInstalled)("tokens of Auth.js and of keyhook/jwt", async () => {
  const { authjs, keyhook } = isInstalled
    ? await loadLibraries()
    : ({} as { authjs: Kind; keyhook: Kind });
  const ways = [
    ["Auth.js", "Keyhook", authjs, keyhook],
    ["Keyhook", "Auth.js", keyhook, authjs],
  ] as const;

  for (const [from, to, writer, reader] of ways) {
    it.each([
      ["one secret", NEW, NEW],
      ["the first of several", [NEW, OLD], NEW],
      ["any of several", OLD, [NEW, OLD]],
    ] as const)(`${to} opens what ${from} sealed, with %s`, async (_, written, read) => {
      const sealed = await writer.encode({ token, secret: written, salt: SALT });
      expect(await reader.decode({ token: sealed, secret: read, salt: SALT })).toEqual(
        await writer.decode({ token: sealed, secret: written, salt: SALT }),
      );
    });

    it.each([
      ["another secret", { secret: OLD }],
      ["another salt", { salt: `__Secure-${SALT}` }],
      ["a changed token", { token: "eyJhbGciOiJkaXIifQ..a.b.c" }],
    ])(`${to} opens nothing that ${from} sealed with %s`, async (_, change) => {
      const sealed = await writer.encode({ token, secret: NEW, salt: SALT });
      const params = { token: sealed, secret: NEW, salt: SALT, ...change };
      await expect(reader.decode(params)).rejects.toThrow();
    });
  }

  const cookie = (text: string, name = SALT) => ({ headers: { cookie: `${name}=${text}` } });
  const cases: Record<string, (sealed: string) => Record<string, unknown>> = {
    "a cookie": (sealed) => ({ req: cookie(sealed) }),
    "a Request": (sealed) => ({ req: new Request("https://app.example", cookie(sealed)) }),
    "no cookie": () => ({ req: { headers: {} } }),
    "the secure name": (sealed) => ({
      req: cookie(sealed, `__Secure-${SALT}`),
      secureCookie: true,
    }),
    "the secure name, not asked for": (sealed) => ({ req: cookie(sealed, `__Secure-${SALT}`) }),
    "a name of the application": (sealed) => ({
      req: cookie(sealed, "sid"),
      cookieName: "sid",
      salt: SALT,
    }),
    "parts of a cookie": (sealed) => ({
      req: {
        headers: { cookie: `${SALT}.1=${sealed.slice(50)}; ${SALT}.0=${sealed.slice(0, 50)}` },
      },
    }),
    "a bearer token": (sealed) => ({ req: { headers: { authorization: `Bearer ${sealed}` } } }),
    "another scheme": (sealed) => ({ req: { headers: { authorization: `Basic ${sealed}` } } }),
    "the token itself": (sealed) => ({ req: cookie(sealed), raw: true }),
    junk: () => ({ req: cookie("junk") }),
    "junk itself": () => ({ req: cookie("junk"), raw: true }),
    "another secret": (sealed) => ({ req: cookie(sealed), secret: OLD }),
    "several secrets": (sealed) => ({ req: cookie(sealed), secret: [OLD, NEW] }),
    "a decode of the application": (sealed) => ({
      req: cookie(sealed),
      decode: async () => ({ sub: "own" }),
    }),
  };

  it.each(Object.entries(cases))("getToken returns the same for %s", async (name, toParams) => {
    for (const writer of [authjs, keyhook]) {
      const salt = name === "the secure name" ? `__Secure-${SALT}` : SALT;
      const sealed = await writer.encode({ token, secret: NEW, salt });
      const params = { secret: NEW, ...toParams(sealed) };
      expect(await keyhook.getToken(params)).toEqual(await authjs.getToken(params));
    }
  });

  it("both accept an expired token for the same number of seconds", async () => {
    for (const writer of [authjs, keyhook]) {
      for (const [maxAge, isOpen] of [
        [-10, true],
        [-20, false],
      ] as const) {
        const sealed = await writer.encode({ token, secret: NEW, salt: SALT, maxAge });
        for (const reader of [authjs, keyhook]) {
          const opened = reader.decode({ token: sealed, secret: NEW, salt: SALT });
          expect(
            await opened.then(
              () => true,
              () => false,
            ),
          ).toBe(isOpen);
        }
      }
    }
  });
});
