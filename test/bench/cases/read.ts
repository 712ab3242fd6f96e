import { ok } from "node:assert/strict";
import { decode as coreDecode, encode as coreEncode } from "@auth/core/jwt";
import { decode, encode } from "keyhook/jwt";
import { type Case, timed, type Work } from "../measure.ts";
import { translator } from "../signin.ts";
import * as subjects from "../subjects.ts";

const { COOKIE, SECRET } = subjects;

/**
 * `isSeen`: reads the same token repeatedly, otherwise a new one each time (the peers cache none).
 */
async function sessionRead(isSeen: boolean, bulk = 0) {
  const token = await subjects.keyhookCookie(bulk);
  const coreToken = await subjects.coreCookie(bulk);
  const better = subjects.better();
  const betterToken = await subjects.betterCookie(better, bulk);
  return {
    ours: await timed(
      translator(subjects.keyhook(), () => (isSeen ? token : subjects.keyhookCookie(bulk))),
    ),
    "@auth/core": await timed(translator(subjects.core(), () => coreToken)),
    "better-auth": await timed(translator(better, () => betterToken, "/auth/get-session")),
    // Its cookie cannot be split.
    ...(bulk === 0 && {
      "iron-session": await timed(
        translator(subjects.ironSession, await subjects.ironCookie().then((iron) => () => iron)),
      ),
      "h3 useSession": await timed(
        translator(subjects.h3Session(), await subjects.h3Cookie().then((h3) => () => h3)),
      ),
    }),
  };
}

const payload = { sub: "42", name: "Ada Lovelace", email: "ada@example.com" };
const params = { secret: SECRET, salt: COOKIE };

function decoding(
  open: typeof decode,
  seal: typeof encode,
): Work<string, Awaited<ReturnType<typeof decode>>> {
  return {
    prepare: () => seal({ ...params, token: payload }),
    run: (token) => open({ ...params, token }),
    check: (claims) => ok(claims?.sub === "42"),
  };
}

function encoding(seal: typeof encode): Work<undefined, string> {
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
    sides: () => sessionRead(true),
  },
  {
    name: "session read, token not seen",
    unit: "us",
    target: 0.04,
    sides: () => sessionRead(false),
  },
  {
    name: "session read, token not seen, 8 KB of claims",
    unit: "us",
    target: 0.06,
    sides: () => sessionRead(false, 8192),
  },
  {
    name: "token decode",
    unit: "us",
    target: 0.05,
    sides: async () => ({
      ours: await timed(decoding(decode, encode)),
      "@auth/core": await timed(decoding(coreDecode, coreEncode)),
    }),
  },
  {
    name: "token encode",
    unit: "us",
    target: 0.07,
    sides: async () => ({
      ours: await timed(encoding(encode)),
      "@auth/core": await timed(encoding(coreEncode)),
    }),
  },
];
