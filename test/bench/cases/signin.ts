import { fixedSignIn } from "../floor.ts";
import { type Case, timed } from "../measure.ts";
import * as idp from "../provider.ts";
import {
  byPassword,
  byPasswordBetter,
  byProvider,
  byProviderBetter,
  createSignIn,
} from "../signin.ts";
import { better, betterCookie, core, credentials, keyhook } from "../subjects.ts";

const BETTER = "/auth/get-session";

function withProvider(name: string, kind: idp.Kind, target: number): Case {
  return {
    name,
    unit: "us",
    target,
    sides: {
      ours: () => timed(createSignIn(keyhook([idp.providers[kind]]), byProvider)),
      "@auth/core": () => timed(createSignIn(core([idp.providers[kind]]), byProvider)),
      "better-auth": () => timed(createSignIn(better(kind), byProviderBetter, BETTER)),
      floor: () => timed(createSignIn(fixedSignIn(kind), byProvider)),
    },
  };
}

export const cases: Case[] = [
  {
    name: "credentials sign-in",
    unit: "us",
    target: 0.2,
    sides: {
      ours: () => timed(createSignIn(keyhook([credentials]), byPassword)),
      "@auth/core": () => timed(createSignIn(core([credentials]), byPassword)),
      async "better-auth"() {
        const auth = better();
        await betterCookie(auth);
        return timed(createSignIn(auth, byPasswordBetter, BETTER));
      },
      floor: () => timed(createSignIn(fixedSignIn(), byPassword)),
    },
  },
  withProvider("OAuth sign-in", "oauth", 0.25),
  withProvider("OIDC sign-in, signature verified", "oidc", 0.25),
];
