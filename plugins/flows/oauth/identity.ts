import { OAuthProfileParseError, randomUUID, uuidFrom } from "../../../src/index.ts";
import type { Account, Attempt, Identity, Profile, TokenSet, User } from "../../../src/index.ts";
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
const LONGEST_ID = 1024;

function defaultProfile(profile: Profile): User {
  const { sub, id, name, nickname, preferred_username: username, email, picture } = profile;
  const user = { id: sub ?? id, name: name ?? nickname ?? username, email, image: picture };
  return Object.fromEntries(Object.entries(user).filter(([, value]) => value !== undefined));
}

async function mapped(
  provider: AnyOAuthProvider,
  profile: Profile,
  tokens: TokenSet,
): Promise<User> {
  let user: unknown;
  try {
    user = provider.profile ? await provider.profile(profile, tokens) : defaultProfile(profile);
  } catch (error) {
    throw new OAuthProfileParseError(
      `The \`profile\` mapping of "${provider.id}" threw.`,
      error instanceof Error ? { cause: { err: error, provider: provider.id } } : {},
    );
  }
  if (typeof user === "object" && user !== null) return { ...user };
  throw new OAuthProfileParseError(`The \`profile\` mapping of "${provider.id}" gave no user.`);
}

// Without a stable id each sign-in would make another account; rounded ones would share one.
function accountId(id: unknown, { id: provider }: AnyOAuthProvider): string {
  const text = typeof id === "bigint" || Number.isSafeInteger(id) ? String(id) : id;
  if (typeof text === "string" && text.trim() !== "" && text.length <= LONGEST_ID) return text;
  throw new OAuthProfileParseError(
    `The profile of "${provider}" has no usable id. Its \`profile\` mapping must give one as text.`,
  );
}

function isVouchedFor(provider: AnyOAuthProvider, profile: Profile): boolean {
  if (provider.emailVerified) return provider.emailVerified(profile) === true;
  const claim: unknown = profile.email_verified;
  return claim === true || claim === "true";
}

function storedOf(provider: AnyOAuthProvider, tokens: TokenSet): Partial<Account> {
  if (provider.account) return { ...provider.account(tokens) };
  return Object.fromEntries(
    STORED.filter((name) => tokens[name] !== undefined).map((name) => [name, tokens[name]]),
  );
}

// ASCII only: `toLowerCase` makes a plain "k" of the Kelvin sign, and that is another mailbox.
function folded(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Who a completed exchange proved somebody to be. */
export async function identityOf(
  ctx: OAuthContext,
  tokens: TokenSet,
  profile: Profile,
  { callbackUrl, linkTo }: Attempt,
): Promise<Identity> {
  const { provider, kernel } = ctx;
  const user = await mapped(provider, profile, tokens);
  const providerAccountId = accountId(user.id, provider);
  const { email } = user;
  if (email !== undefined) user.email = typeof email === "string" ? folded(email) : null;
  // Without a store the id must come out the same at every sign-in.
  user.id = kernel.adapter
    ? randomUUID()
    : await uuidFrom(JSON.stringify([provider.id, providerAccountId]));
  // A member of that name in the answer would be taken for our own user's id.
  const { userId: _, ...answered } = tokens;
  return {
    user,
    account: { ...answered, provider: provider.id, type: provider.type, providerAccountId },
    profile,
    emailVerified: isVouchedFor(provider, profile),
    storedTokens: storedOf(provider, tokens),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(linkTo !== undefined && { linkTo }),
  };
}
