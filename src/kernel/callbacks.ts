import { AccessDenied } from "../errors/errors.ts";
import { andThen } from "../platform/awaitable.ts";
import type { AdapterSession, AdapterUser } from "../types/adapter.ts";
import type { AuthConfig } from "../types/config.ts";
import type { EventName } from "../types/events.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Awaitable, Session, User } from "../types/models.ts";
import type { CallbacksOptions, SignInParams } from "../types/options.ts";

const TAP_NAME = "config.callbacks";
// In a bail hook, the first value decides; in a waterfall, the last one. In both, the application has the final
// decision.
const FIRST = { name: TAP_NAME, stage: "early" } as const;
const LAST = { name: TAP_NAME, stage: "late" } as const;

// Auth.js also passes the columns of the stored session. They can be read here but are not enumerable, so that a
// callback that returns the session, or a copy of it, does not send them to the client. Columns of the user, except the
// id, are only in `user`.
function withColumns(
  session: Session,
  stored: AdapterSession | undefined,
  user: AdapterUser | undefined,
): Session {
  if (!stored) return session;
  const given = { ...session, user: { id: user?.id, ...session.user } as User };
  for (const [name, value] of Object.entries(stored)) {
    if (name in given) continue;
    Object.defineProperty(given, name, { value, writable: true, configurable: true });
  }
  return given;
}

// Any falsy value except `undefined` ends the session.
function toNull<T>(value: T): T | null {
  return value === undefined ? value : value || null;
}

// Warns once, in development only, about a callback that returned nothing.
function createNothingCheck({ config, logger }: Kernel, name: string, given: string) {
  let isDone = config.production;
  return <T>(value: T): T | null => {
    if (value === undefined && !isDone) {
      isDone = true;
      const text =
        `\`callbacks.${name}\` returned nothing: the ${given} that it received is kept. Return the ${given}, or null for no ` +
        "session.";
      logger.warn("callback-returned-nothing", text);
    }
    return toNull(value);
  };
}

// When an e-mail link is requested, any error refuses it, even an `AuthError`, and becomes the cause, as in Auth.js.
async function callSignIn(
  signIn: NonNullable<CallbacksOptions["signIn"]>,
  params: Omit<SignInParams, "storedUser">,
): Promise<unknown> {
  try {
    return await signIn(params);
  } catch (err) {
    if (!params.email?.verificationRequest) throw err;
    throw new AccessDenied("`callbacks.signIn` threw.", { cause: { err: err as Error } });
  }
}

/** Registers the application's `callbacks` as taps and its `events` as listeners. */
export function installCallbacks(kernel: Kernel, config: AuthConfig): void {
  const { hooks, events } = kernel;
  const { signIn, redirect, jwt, session, authorized } = config.callbacks ?? {};

  if (signIn) {
    // Auth.js passes no `storedUser`.
    hooks.signIn.tap(FIRST, async ({ storedUser: _, ...params }) => {
      const result: unknown = await callSignIn(signIn, params);
      // `true` becomes `undefined`, so that a later tap can still refuse. Anything that is neither `true` nor a
      // redirect target refuses (fail closed).
      if (result === true) return undefined;
      if (result === undefined) {
        throw new AccessDenied(
          "`callbacks.signIn` returned nothing. Return true to let the user in.",
        );
      }
      return typeof result === "string" && result !== "" ? result : false;
    });
  }
  if (redirect) {
    hooks.redirect.tap(FIRST, (params) =>
      // Anything but text selects the default, and that decision stands.
      andThen<unknown, string | undefined>(redirect(params), (url) =>
        url === undefined || typeof url === "string" ? url : "",
      ),
    );
  }
  if (jwt) {
    const check = createNothingCheck(kernel, "jwt", "token");
    hooks.jwt.tap(LAST, (token, params) => andThen(jwt({ token, ...params }), check));
  }
  if (session) {
    const check = createNothingCheck(kernel, "session", "session");
    hooks.session.tap(LAST, (value, { stored, ...params }) => {
      const own = withColumns(value, stored, params.user);
      // The type requires both the token and the user; depending on the strategy, only one of them is present.
      const given = { session: own, ...params } as Parameters<typeof session>[0];
      return andThen(session(given) as Awaitable<Session>, check);
    });
  }
  if (authorized) {
    hooks.authorized.tap(FIRST, async (params) => {
      const result = await authorized(params);
      if (result instanceof Response) return result;
      return result ? undefined : false;
    });
  }
  for (const [name, listener] of Object.entries(config.events ?? {})) {
    if (listener) events.hook(name as EventName, (message) => listener(message as never));
  }
}
