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

function withProvider(name: string, kind: "oauth" | "oidc", target: number): Case {
  return {
    name,
    unit: "us",
    target,
    sides: async () => ({
      ours: await timed(signingIn(keyhook([idp.providers[kind]]), byProvider)),
      "@auth/core": await timed(signingIn(core([idp.providers[kind]]), byProvider)),
      "better-auth": await timed(signingIn(better(kind), byProviderBetter, BETTER)),
    }),
  };
}

export const cases: Case[] = [
  {
    name: "credentials sign-in",
    unit: "us",
    target: 0.2,
    async sides() {
      const auth = better();
      await betterCookie(auth);
      return {
        ours: await timed(signingIn(keyhook([credentials]), byPassword)),
        "@auth/core": await timed(signingIn(core([credentials]), byPassword)),
        "better-auth": await timed(signingIn(auth, byPasswordBetter, BETTER)),
      };
    },
  },
  withProvider("OAuth sign-in", "oauth", 0.25),
  withProvider("OIDC sign-in, signature verified", "oidc", 0.5),
];
