import { PluginError } from "../../errors/errors.ts";
import type { AuthContext } from "../../types/kernel.ts";
import type { Session } from "../../types/models.ts";
import type { SessionParams } from "../../types/options.ts";
import type { Plugin } from "../../types/plugin.ts";
import type { Login } from "../../types/sign-in.ts";
import { failStorage } from "../fail-storage.ts";

/** What the strategy reports about the browser of a request. */
export interface Facts {
  /** The user's id in `ctx.session()`. */
  id: string | null;
  /** The id of the user that `current` returns. */
  user: string | null;
  key: string | null;
  authTime: number | null;
  /** Maximum number of seconds until an ended session has ended everywhere; `null` if sessions are not stored. */
  endsWithin: number | null;
  /** Whether the browser sent sessions of different users. */
  isAmbiguous: boolean;
  /** Whether a session can be recent enough: the strategy has `authTime`, or `session.freshAge` is 0. */
  canBeFresh: boolean;
}

/** A plugin that observes the strategy, and can make its dependencies fail. */
export interface Probe {
  readonly plugin: Plugin;
  /** Replaces a tap of the application. */
  onSession: ((session: Session, params: SessionParams) => Session | null | undefined) | undefined;
  /** How often the event `session` was emitted. */
  reads: number;
  /** Whether every call of the adapter and of the store fails. */
  isDown: boolean;
}

// Returns `null` also if sessions do not contain the time.
async function readAuthTime(ctx: AuthContext): Promise<number | null> {
  try {
    return (await ctx.kernel.strategy.authTime?.(ctx)) ?? null;
  } catch (error) {
    if (error instanceof PluginError) return null;
    throw error;
  }
}

/** The path of the probe's routes below the base path. */
export const PROBE_PATH = "/testing-strategy";

/** Creates a probe, for one application. */
export function createProbe(): Probe {
  let login: Login | undefined;
  const probe: Probe = {
    reads: 0,
    isDown: false,
    onSession: undefined,
    plugin: {
      name: "testing/strategy",
      setup(kernel) {
        const path = PROBE_PATH;
        failStorage(kernel, () => probe.isDown);
        kernel.hooks.login.tap("testing/strategy", (given) => {
          login = given;
        });
        const options = { name: "testing/strategy", stage: "last" } as const;
        kernel.hooks.session.tap(options, (session, params) => probe.onSession?.(session, params));
        kernel.events.hook("session", () => {
          probe.reads += 1;
        });
        kernel.addRoute({
          method: "GET",
          path,
          json: true,
          async handler(ctx) {
            const { strategy, config } = kernel;
            const facts: Facts = {
              id: (await ctx.session())?.id ?? null,
              user: (await strategy.current(ctx))?.id ?? null,
              key: (await strategy.key?.(ctx)) ?? null,
              authTime: await readAuthTime(ctx),
              endsWithin: strategy.endsWithin?.(config) ?? null,
              isAmbiguous: (await strategy.isAmbiguous?.(ctx)) ?? false,
              canBeFresh: strategy.authTime !== undefined || config.session.freshAge === 0,
            };
            return ctx.json(facts);
          },
        });
        kernel.addRoute({
          method: "POST",
          path,
          json: true,
          // Creates a session that no browser receives.
          async handler(ctx) {
            if (login) await kernel.strategy.create(ctx, login);
            return ctx.json({ created: login !== undefined });
          },
        });
      },
    },
  };
  return probe;
}
