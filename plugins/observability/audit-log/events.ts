import type { EventInfo, EventMessages, EventName, User } from "../../../src/kernel.ts";
import { describeError, toText } from "./entry.ts";
import type { AuditDetails } from "./types.ts";

/** The content of entries for events, by name. `false` leaves an event out. */
export type AuditEvents = {
  readonly [N in EventName]?:
    | false
    | ((message: EventMessages[N], info: EventInfo<N>) => AuditDetails);
};

const describeUser = ({ user }: { user: User }): AuditDetails => ({
  who: user.id,
  email: user.email,
});

/** The events of the kernel. */
const DEFAULTS: AuditEvents = {
  createUser: describeUser,
  updateUser: describeUser,
  linkAccount: ({ user, account }) => ({ ...describeUser({ user }), provider: account.provider }),
  unlinkAccount: ({ user, account }) => ({
    ...describeUser({ user }),
    provider: account?.provider,
  }),
  // Emitted whenever a session is read.
  session: false,
  signIn: ({ user, account }) => ({ ...describeUser({ user }), provider: account?.provider }),
  signInPaused: ({ user, account }) => ({ ...describeUser({ user }), provider: account.provider }),
  // The id of an identity that is not signed in is not the user's, so it is left out.
  signInFailed: ({ provider, error, identity }, { ctx }) => ({
    ...describeError(error, ctx),
    provider,
    email: identity?.user.email,
  }),
  signOut: (ended, { ctx }) => ({
    ...(ended.error && describeError(ended.error, ctx)),
    ...("token" in ended
      ? { who: ended.token?.sub, email: ended.token?.email }
      : { who: ended.session?.userId }),
  }),
  endSession: ({ userId }) => ({ who: userId }),
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Events of plugins that report a refusal without an error. */
const REFUSALS: readonly string[] = ["rateLimited", "refreshTokenRejected"];

// A plugin's event may contain anything. Only ids at the places where the kernel's events have them are used.
function describeUnknown(
  message: unknown,
  { name, ctx }: Pick<EventInfo, "name" | "ctx">,
): AuditDetails {
  if (!isRecord(message)) return {};
  const { user, userId, account, provider, error } = message;
  const { id, email } = isRecord(user) ? user : {};
  return {
    ...(REFUSALS.includes(name) && { outcome: "refused" }),
    ...(error instanceof Error && describeError(error, ctx)),
    who: toText(id) ?? toText(userId),
    email: toText(email),
    provider: toText(provider) ?? toText(isRecord(account) ? account.provider : undefined),
  };
}

/** Returns the content of an event's entry, or `undefined` for an event that is left out. */
export function describeEvent<N extends EventName>(
  message: EventMessages[N],
  info: EventInfo<N>,
  given: AuditEvents = {},
): AuditDetails | undefined {
  const describe = given[info.name] ?? DEFAULTS[info.name] ?? describeUnknown;
  return describe ? describe(message, info) : undefined;
}
