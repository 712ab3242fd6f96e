import { expect } from "vitest";
import { isAddress, parseAddress } from "../../plugins/flows/email/address.ts";
import type { EmailProvider } from "../../plugins/flows/email/provider.ts";
import { createTokens } from "../../src/crypto/token.ts";
import { BadRequest, EmailSignInError, JWTSessionError } from "../../src/errors.ts";
import { getClientIp, parseIp } from "../../src/http/ip.ts";
import { parseJson } from "../../src/http/json.ts";
import { toSameOrigin } from "../../src/request/redirect.ts";
import { ORIGIN, SECRET } from "../_app.ts";
import { type Target, toHeader, within } from "./_target.ts";

/** Returns what a function returns. If it throws, the error must be of the given class. */
function attempt<T>(work: () => T, refusal: new (...given: never[]) => Error): T | undefined {
  try {
    return work();
  } catch (error) {
    expect(error).toBeInstanceOf(refusal);
    return undefined;
  }
}

const tokens = createTokens();
const SALT = "authjs.session-token";
const CLAIMS = { sub: "1", name: "Ada" };
const sealed = Promise.resolve(tokens.encode({ token: CLAIMS, secret: SECRET, salt: SALT }));
const mail: EmailProvider = { id: "mail", name: "Mail", type: "email" };

const withoutPrototypes = (text: string): unknown =>
  JSON.parse(text, (name, value: unknown) => (name === "__proto__" ? undefined : value));

/** Parsers that are functions of a text. */
export const TEXTS: readonly Target[] = [
  {
    name: "JSON",
    seeds: () => [
      '{"a":1,"b":[true,null,"x\\n\\u0041"],"c":{"d":-1.5e3}}',
      '{"__proto__":{"isAdmin":true}}',
      '[[[[["{[{["]]]]]',
    ],
    words: ['"__proto__":', '"\\u005f_proto__":', "[".repeat(40), '{"a":'.repeat(40)],
    async run(input) {
      const value = await within(() => attempt(() => ({ is: parseJson(input) }), BadRequest));
      if (value) expect(value.is).toEqual(withoutPrototypes(input));
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    },
  },
  {
    name: "sealed tokens",
    seeds: async () => [await sealed, (await sealed).split(".").slice(0, 3).join(".")],
    words: [".", "..", "eyJhbGciOiJkaXIifQ", "="],
    async run(input) {
      const opened = await within(async () => {
        try {
          return await tokens.decode({ token: input, secret: SECRET, salt: SALT });
        } catch (error) {
          expect(error).toBeInstanceOf(JWTSessionError);
          expect((error as Error).message).not.toContain(SECRET);
          return null;
        }
      });
      // Only the owner of the secret determines what is read.
      if (opened) expect(opened).toMatchObject(CLAIMS);
    },
  },
  {
    name: "redirect targets",
    seeds: () => ["/", "/a?b=c#d", `${ORIGIN}/a`, ORIGIN, "//evil.example", "/\\evil.example"],
    words: [ORIGIN, "localhost:3000", "http:", "https:", "blob:", "data:", "@", "\\\\"],
    async run(input) {
      const target = await within(() => toSameOrigin(input, ORIGIN));
      expect(target === ORIGIN || target.startsWith(`${ORIGIN}/`), target).toBe(true);
      expect(new URL(target).origin).toBe(ORIGIN);
      expect(toSameOrigin(target, ORIGIN)).toBe(target);
    },
  },
  {
    name: "addresses of clients",
    seeds: () => [
      "192.0.2.1",
      "::ffff:192.0.2.1",
      "2001:db8::1",
      "[2001:db8::1]:4711",
      "fe80::1%1",
    ],
    words: ["::", ":", ".", "ffff", "%eth0", "0x7f", ", "],
    async run(input) {
      await within(() => {
        const address = parseIp(input);
        if (address !== undefined) {
          expect(parseIp(address)).toBe(address);
          expect(address.length).toBeLessThan(46);
        }
        const headers = new Headers({ "x-forwarded-for": toHeader(input) });
        for (const trustProxy of [0, 1, 2, "x-forwarded-for"]) {
          const client = getClientIp({ connection: input, headers, trustProxy });
          if (client !== undefined) expect(parseIp(client)).toBe(client);
        }
      });
    },
  },
  {
    name: "e-mail addresses",
    seeds: () => [
      "ada@example.com",
      " Ada+x@Example.COM ",
      "ada@xn--mnchen-3ya.example",
      "ä@ö.example",
    ],
    words: ["@", ",evil@evil.example", "\r\nBcc: ", "<", ">", '"', "..", "\ufdfa", "\u212a"],
    async run(input) {
      const address = await within(() =>
        attempt(() => parseAddress(mail, input), EmailSignInError),
      );
      if (address === undefined) return;
      expect(isAddress(address)).toBe(true);
      // An address has one text, however often it is parsed.
      expect(parseAddress(mail, address)).toBe(address);
      expect(address.split("@")).toHaveLength(2);
      expect(address).not.toMatch(/[\s<>"(),:;[\]\\]/);
    },
  },
];
