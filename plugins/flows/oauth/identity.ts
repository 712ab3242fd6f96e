import { merge, randomUUID, uuidFrom } from "../../../src/_kit.ts";
import { OAuthProfileParseError } from "../../../src/errors.ts";
import type { Account, Identity, Profile, TokenSet, User } from "../../../src/kernel.ts";
import type { OAuthAttempt } from "./attempt.ts";
import { isSameEmail } from "./same-email.ts";
import type { AnyOAuthProvider, OAuthContext } from "./types.ts";

const STORED = [
  "access_token",
  "id_token",
  "refresh_token",
  "expires_at",
  "scope",
  "token_type",
  "session_state",
];
const MAX_ID_LENGTH = 1024;

function defaultProfile(profile: Profile): User {
  const { sub, id, name, nickname, preferred_username: username, email, picture } = profile;
  // `merge` leaves out members that are `undefined`.
  return merge({}, { id: sub ?? id, name: name ?? nickname ?? username, email, image: picture });
}

async function mapProfile(
  provider: AnyOAuthProvider,
  given: Profile,
  tokens: TokenSet,
): Promise<[profile: Profile, user: User]> {
  let profile = given;
  let user: unknown;
  try {
    profile = { ...given, ...provider.derive?.(given) };
    user = provider.profile ? await provider.profile(profile, tokens) : defaultProfile(profile);
  } catch (error) {
    throw new OAuthProfileParseError(
      `The \`profile\` mapping of "${provider.id}" threw.`,
      error instanceof Error ? { cause: { err: error, provider: provider.id } } : {},
    );
  }
  if (typeof user === "object" && user !== null) return [profile, { ...user }];
  throw new OAuthProfileParseError(
    `The \`profile\` mapping of "${provider.id}" must return a user object.`,
  );
}

// Without a stable id, each sign-in would create another account. Rounded numbers would give two users one account.
function parseAccountId(id: unknown, { id: provider }: AnyOAuthProvider): string {
  const text = typeof id === "bigint" || Number.isSafeInteger(id) ? String(id) : id;
  if (typeof text === "string" && text.trim() !== "" && text.length <= MAX_ID_LENGTH) return text;
  throw new OAuthProfileParseError(
    `The profile of "${provider}" has no usable id. Its \`profile\` mapping must return one as text.`,
  );
}

// Some providers send the claim as text, `"true"` or `"false"`. Any other value counts as unknown. The claim is about the
// claim `email` only: the application's mapping may have chosen another address, which anyone may have entered at the
// provider.
function isEmailVerified(
  provider: AnyOAuthProvider,
  profile: Profile,
  { email }: User,
): boolean | undefined {
  if (provider.emailVerified) {
    const stated: unknown = email ? provider.emailVerified(profile, email) : undefined;
    return typeof stated === "boolean" ? stated : undefined;
  }
  const claim: unknown = profile.email_verified;
  if (claim === true || claim === "true") {
    return isSameEmail(profile.email, email) || undefined;
  }
  return claim === false || claim === "false" ? false : undefined;
}

function toStoredTokens(provider: AnyOAuthProvider, tokens: TokenSet): Partial<Account> {
  if (provider.account) return { ...provider.account(tokens) };
  // The columns hold text and numbers. The database would read any other value as an operator, or fail.
  const isPlain = (name: string) => ["string", "number"].includes(typeof tokens[name]);
  return Object.fromEntries(STORED.filter(isPlain).map((name) => [name, tokens[name]]));
}

/**
 * Returns the identity that a completed exchange establishes.
 * @throws OAuthProfileParseError when the `profile` mapping throws, or returns no user or no usable id.
 */
export async function buildIdentity(
  ctx: OAuthContext,
  tokens: TokenSet,
  given: Profile,
  { callbackUrl, linkTo, session }: OAuthAttempt,
): Promise<Identity> {
  const { provider, kernel } = ctx;
  const [profile, user] = await mapProfile(provider, given, tokens);
  const providerAccountId = parseAccountId(user.id, provider);
  // Without an adapter the id must be the same at every sign-in.
  user.id = kernel.adapter
    ? randomUUID()
    : await uuidFrom(JSON.stringify([provider.id, providerAccountId]));
  // A `userId` in the token response would be read as the id of the application's user.
  const { userId: _, ...rest } = tokens;
  return {
    user,
    account: { ...rest, providerAccountId },
    profile,
    emailVerified: isEmailVerified(provider, profile, user),
    storedTokens: toStoredTokens(provider, tokens),
    callbackUrl,
    linkTo,
    session,
  };
}
