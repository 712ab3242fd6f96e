import type { AdapterSession, AdapterUser } from "../types/adapter.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Session } from "../types/models.ts";

const TAP_NAME = "config.callbacks";
// In a bail hook the first value decides, in a waterfall the last one: the application has the final
// decision.
const FIRST = { name: TAP_NAME, stage: "early" } as const;
const LAST = { name: TAP_NAME, stage: "late" } as const;

// Auth.js passes the complete stored session and user; the client receives what the callback returns.
function asStored(
  session: Session,
  stored: AdapterSession | undefined,
  user: AdapterUser | undefined,
): Session {
  return stored ? { ...stored, ...session, user: { ...user, ...session.user } } : session;
}

/** Registers the application's `callbacks` as taps and its `events` as listeners. */
export function installCallbacks(kernel: Kernel, config: AuthConfig): void {
  const { hooks, events } = kernel;
  const { signIn, redirect, jwt, session, authorized } = config.callbacks ?? {};

  if (signIn) {
    // Auth.js passes no `storedUser`.
    hooks.signIn.tap(FIRST, async ({ storedUser: _, ...params }) => {
      const result: unknown = await signIn(params);
      // `undefined` allows: `true` must not prevent a later tap from refusing. Everything that is neither
      // `true` nor a redirect target refuses (fail closed).
      if (result === true) return undefined;
      return typeof result === "string" && result !== "" ? result : false;
    });
  }
  if (redirect) hooks.redirect.tap(FIRST, (params) => redirect(params));
  if (jwt) hooks.jwt.tap(LAST, (token, params) => jwt({ token, ...params }));
  if (session) {
    hooks.session.tap(
      LAST,
      (value, { stored, ...params }) =>
        session({ session: asStored(value, stored, params.user), ...params }) as Session,
    );
  }
  if (authorized) {
    hooks.authorized.tap(FIRST, async (params) => {
      const result = await authorized(params);
      if (result instanceof Response) return result;
      return result ? undefined : false;
    });
  }
  for (const name of Object.keys(config.events ?? {}) as (keyof NonNullable<
    AuthConfig["events"]
  >)[]) {
    const listener = config.events?.[name];
    if (listener) events.hook(name, listener as (message: unknown) => void);
  }
}
