import { findPeerFault } from "../../src/_kit.ts";
import { MissingAdapter } from "../../src/errors.ts";
import {
  type AuthContext,
  definePlugin,
  type Kernel,
  type Plugin,
  requireMethods,
} from "../../src/kernel.ts";
import { pageRenderer } from "../pages/renderer.ts";
import { verifyChallenge, pauseLogin, showChallenge, TAP } from "./second-factor/challenge.ts";
import { InvalidSecondFactor } from "./second-factor/errors.ts";
import { createFactors } from "./second-factor/factors.ts";
import {
  renewRecoveryCodes,
  showManagement,
  turnOff,
  turnOn,
  withSection,
} from "./second-factor/management.ts";
import { ENGLISH } from "./second-factor/messages.ts";
import { createOffers } from "./second-factor/offers.ts";
import type { SecondFactorOptions } from "./second-factor/options.ts";
import type { Parts } from "./second-factor/parts.ts";
import { resolveSettings } from "./second-factor/settings.ts";
import { toKnownUser } from "./second-factor/user.ts";

export { InvalidSecondFactor } from "./second-factor/errors.ts";
export type * from "./second-factor/options.ts";

const NAME = "security/second-factor";

type Run = (parts: Parts, ctx: AuthContext) => Promise<Response>;

const ROUTES: readonly [method: "GET" | "POST", path: string, run: Run, auth?: "fresh"][] = [
  ["GET", "/second-factor", showChallenge],
  ["POST", "/second-factor", verifyChallenge],
  ["GET", "/second-factor/setup", showManagement, "fresh"],
  ["POST", "/second-factor/setup", turnOn, "fresh"],
  ["POST", "/second-factor/recovery-codes", renewRecoveryCodes, "fresh"],
  ["POST", "/second-factor/remove", turnOff, "fresh"],
];

function checkPackages(): void {
  const faults = (["otpauth", "uqr"] as const).flatMap((name) => findPeerFault(name) ?? []);
  if (faults.length) throw new AggregateError(faults);
}

// Without stored users, a user may have another id at every sign-in.
function checkAdapter(kernel: Kernel): void {
  if (!kernel.adapter) {
    throw new MissingAdapter(
      `"${NAME}" requires an adapter, since it identifies users by their stored ids. Add one, such as storeAdapter() of ` +
        "keyhook/adapters/store.",
    );
  }
  requireMethods(kernel, "a second factor", ["getUser"]);
}

/**
 * Adds a second factor to every sign-in: a code of an authenticator app (TOTP, RFC 6238), or a recovery code. Users set
 * it up on the account page, or at `/second-factor/setup`. Requires an adapter, an atomic and durable store, and the
 * packages `otpauth` and `uqr`.
 * @throws InvalidConfig at boot for an option with an invalid value, and for a package of an unsupported version;
 * MissingAdapter or MissingAdapterMethods for an adapter that is missing or has no `getUser`.
 * @example createAuth().use(storeAdapter()).use(redisStore(client)).use(secondFactor())
 */
export const secondFactor: (options?: SecondFactorOptions) => Plugin = definePlugin(
  function secondFactor(options = {}): Plugin {
    return {
      name: NAME,
      provides: ["service:secondFactor"],
      plugins: [pageRenderer()],
      setup(kernel) {
        checkPackages();
        const settings = resolveSettings(options, kernel);
        const factors = createFactors(kernel, settings);
        const offers = createOffers(kernel, settings.recoveryCodes);
        const remove: Parts["remove"] = async (given, ctx) => {
          const user = toKnownUser(given);
          if (!user || !(await factors.remove(user.id))) return false;
          await kernel.emit("secondFactorRemoved", { user }, ctx);
          return true;
        };
        const parts: Parts = { settings, factors, offers, remove };

        kernel.addMessages("en", ENGLISH);
        kernel.addError(InvalidSecondFactor, {
          text: "factor",
          message: "The code is wrong or used, or too many were wrong.",
        });
        kernel.provide("secondFactor", {
          has: async (userId) => (await factors.countRecoveryCodes(userId)) !== undefined,
          remove: (userId) => remove({ id: userId }),
        });
        // First, so that no page of another plugin is shown to a visitor who has not passed.
        kernel.hooks.login.tap({ name: TAP, stage: "first" }, (login, ctx) =>
          pauseLogin(parts, login, ctx),
        );
        kernel.hooks.page.for("account").tap(NAME, (page, ctx) => withSection(parts, page, ctx));
        // A new user may have the id of a deleted one and must not inherit that user's second factor.
        kernel.events.hook("createUser", async ({ user }, { ctx }) => {
          await remove(user, ctx);
        });
        kernel.hooks.ready.tap(NAME, checkAdapter);
        for (const [method, path, run, auth] of ROUTES) {
          const handler = (ctx: AuthContext) => run(parts, ctx);
          kernel.addRoute({ method, path, handler, ...(auth && { auth }) });
        }
      },
    };
  },
);
