import { ok } from "node:assert/strict";
import { decode as coreDecode, encode as coreEncode } from "@auth/core/jwt";
import { decode, encode, type JWT } from "keyhook/jwt";
import { fixedSession } from "../floor.ts";
import { type Case, type Sides, timed, type Work } from "../measure.ts";
import { createReading } from "../signin.ts";
import * as subjects from "../subjects.ts";

const { COOKIE, SECRET } = subjects;

/**
 * `isSeen` reads the same token repeatedly, otherwise a new one each time (the peers cache none).
 */
function sessionRead(isSeen: boolean, bulk = 0): Sides {
  const sides: Sides = {
    async ours() {
      const token = await subjects.keyhookCookie(bulk);
      const next = () => (isSeen ? token : subjects.keyhookCookie(bulk));
      return timed(createReading(subjects.keyhook(), next));
    },
    async "@auth/core"() {
      const token = await subjects.coreCookie(bulk);
      return timed(createReading(subjects.core(), () => token));
    },
    async "better-auth"() {
      const better = subjects.better();
      const token = await subjects.betterCookie(better, bulk);
      return timed(createReading(better, () => token, "/auth/get-session"));
    },
    async floor() {
      const token = await subjects.keyhookCookie(bulk);
      return timed(createReading(fixedSession, () => token));
    },
  };
  // Their cookies cannot be split.
  if (bulk > 0) return sides;
  return {
    ...sides,
    async "iron-session"() {
      const token = await subjects.ironCookie();
      return timed(createReading(subjects.ironSession, () => token));
    },
    async "h3 useSession"() {
      const token = await subjects.h3Cookie();
      return timed(createReading(subjects.h3Session(), () => token));
    },
  };
}

const payload = { sub: "42", name: "Ada Lovelace", email: "ada@example.com" };
const params = { secret: SECRET, salt: COOKIE };

function decoding(open: typeof coreDecode, seal: typeof coreEncode): Work<string, JWT | null> {
  return {
    prepare: () => seal({ ...params, token: payload }),
    run: (token) => open({ ...params, token }),
    check: (claims) => ok(claims?.sub === "42"),
  };
}

function encoding(seal: typeof coreEncode): Work<undefined, string> {
  return {
    run: () => seal({ ...params, token: payload }),
    check: (token) => ok(token.split(".").length === 5),
  };
}

export const cases: Case[] = [
  {
    name: "session read, token decoded before",
    unit: "us",
    target: 0.02,
    sides: sessionRead(true),
  },
  {
    name: "session read, token not seen",
    unit: "us",
    target: 0.04,
    sides: sessionRead(false),
  },
  {
    name: "session read, token not seen, 8 KB of claims",
    unit: "us",
    target: 0.06,
    sides: sessionRead(false, 8192),
  },
  {
    name: "token decode",
    unit: "us",
    target: 0.05,
    sides: {
      ours: () => timed(decoding(decode, encode)),
      "@auth/core": () => timed(decoding(coreDecode, coreEncode)),
    },
  },
  {
    name: "token encode",
    unit: "us",
    target: 0.07,
    sides: {
      ours: () => timed(encoding(encode)),
      "@auth/core": () => timed(encoding(coreEncode)),
    },
  },
];
