import { fixedSignIn } from "../floor.ts";
import { type Case, timed } from "../measure.ts";
import * as idp from "../provider.ts";
import {
  byPassword,
  byPasswordBetter,
  byProvider,
  byProviderBetter,
  signingIn,
} from "../signin.ts";
import { better, betterCookie, core, credentials, keyhook } from "../subjects.ts";

const BETTER = "/auth/get-session";

function withProvider(name: string, kind: idp.Kind, target: number): Case {
  return {
    name,
    unit: "us",
    target,
    sides: {
      ours: () => timed(signingIn(keyhook([idp.providers[kind]]), byProvider)),
      "@auth/core": () => timed(signingIn(core([idp.providers[kind]]), byProvider)),
      "better-auth": () => timed(signingIn(better(kind), byProviderBetter, BETTER)),
      floor: () => timed(signingIn(fixedSignIn(kind), byProvider)),
    },
  };
}

export const cases: Case[] = [
  {
    name: "credentials sign-in",
    unit: "us",
    target: 0.2,
    sides: {
      ours: () => timed(signingIn(keyhook([credentials]), byPassword)),
      "@auth/core": () => timed(signingIn(core([credentials]), byPassword)),
      async "better-auth"() {
        const auth = better();
        await betterCookie(auth);
        return timed(signingIn(auth, byPasswordBetter, BETTER));
      },
      floor: () => timed(signingIn(fixedSignIn(), byPassword)),
    },
  },
  withProvider("OAuth sign-in", "oauth", 0.25),
  withProvider("OIDC sign-in, signature verified", "oidc", 0.25),
];
