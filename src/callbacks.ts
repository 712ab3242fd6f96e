import type { AdapterSession, AdapterUser } from "./types/adapter.ts";
import type { AuthConfig } from "./types/config.ts";
import type { Kernel } from "./types/kernel.ts";
import type { Session } from "./types/models.ts";

const NAME = "config.callbacks";
// Bail hooks: who speaks first decides. Waterfalls: who speaks last does. The application decides.
const FIRST = { name: NAME, stage: "early" } as const;
const LAST = { name: NAME, stage: "late" } as const;

// Auth.js hands over the stored session and user whole; what comes back is what the client sees.
function asStored(
  session: Session,
  stored: AdapterSession | undefined,
  user: AdapterUser | undefined,
): Session {
  return stored ? { ...stored, ...session, user: { ...user, ...session.user } } : session;
}

/** Gives the application's `callbacks` and `events` their voice in the hooks. */
export function installCallbacks(kernel: Kernel, config: AuthConfig): void {
  const { hooks, events } = kernel;
  const { signIn, redirect, jwt, session, authorized } = config.callbacks ?? {};

  if (signIn) {
    hooks.signIn.tap(FIRST, async (params) => {
      const answer: unknown = await signIn(params);
      // Silence is consent: `true` must not stand in the way of a later veto. Whatever is neither
      // `true` nor a target refuses (fail closed).
      if (answer === true) return undefined;
      return typeof answer === "string" && answer !== "" ? answer : false;
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
      const answer = await authorized(params);
      if (answer instanceof Response) return answer;
      return answer ? undefined : false;
    });
  }
  for (const name of Object.keys(config.events ?? {}) as (keyof NonNullable<
    AuthConfig["events"]
  >)[]) {
    const listener = config.events?.[name];
    if (listener) events.hook(name, listener as (message: unknown) => void);
  }
}
