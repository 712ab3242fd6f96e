import { listEmailSpellings, sha256Hex, randomHex } from "../../../src/_kit.ts";
import { callAdapter } from "../../../src/kernel.ts";
import type { Adapter, VerificationToken } from "../../../src/kernel.ts";
import type { EmailContext } from "./types.ts";

/** A token that was created and stored. */
export interface IssuedToken {
  /** The token that the link contains. */
  token: string;
  stored: VerificationToken;
}

type TokenKey = Pick<VerificationToken, "identifier" | "token">;

function getAdapter({ kernel }: EmailContext): Adapter {
  return kernel.adapter as Adapter;
}

/**
 * Returns the secrets for hashing tokens, newest first. Auth.js joins several secrets with commas, so the joined form
 * is included to keep its links valid.
 */
export function getSecrets({ provider, kernel }: EmailContext): string[] {
  const secrets = [provider.secret ?? kernel.config.secret].flat();
  return secrets.length > 1 ? [...secrets, secrets.join(",")] : secrets;
}

// The same hash as in Auth.js. The token has 256 random bits, so a stronger hash gains nothing.
async function hashToken(token: string, secret: string): Promise<string> {
  return sha256Hex(token + secret);
}

/** Creates a token for an address and stores its hash. */
export async function issueToken(ctx: EmailContext, identifier: string): Promise<IssuedToken> {
  const { generateVerificationToken, maxAge = 0 } = ctx.provider;
  const token = String((await generateVerificationToken?.()) || randomHex(32));
  const stored = {
    identifier,
    token: await hashToken(token, getSecrets(ctx)[0] ?? ""),
    expires: new Date(Date.now() + maxAge * 1000),
  };
  await callAdapter(getAdapter(ctx), "createVerificationToken", { ...stored });
  return { token, stored };
}

/**
 * Removes a token by its hash, because its link was not sent or a newer token has replaced it. An error is only logged:
 * the token then expires by itself.
 */
export async function withdrawToken(
  ctx: EmailContext,
  identifier: string,
  token: string,
): Promise<void> {
  try {
    await callAdapter(getAdapter(ctx), "useVerificationToken", { identifier, token });
  } catch (error) {
    ctx.log.error(error as Error);
  }
}

/** Stores a redeemed token again after a failed sign-in. An error is logged and resolves to `false`. */
export async function restoreToken(ctx: EmailContext, row: VerificationToken): Promise<boolean> {
  try {
    await callAdapter(getAdapter(ctx), "createVerificationToken", { ...row });
    return true;
  } catch (error) {
    ctx.log.error(error as Error);
    return false;
  }
}

// Tokens that were sent before a rotation of secrets, or before hosts were stored as punycode, are redeemed too.
async function listKeys(ctx: EmailContext, email: string, token: string): Promise<TokenKey[]> {
  const hashes = await Promise.all(getSecrets(ctx).map((secret) => hashToken(token, secret)));
  return listEmailSpellings(email).flatMap((identifier) =>
    hashes.map((hash) => ({ identifier, token: hash })),
  );
}

/** Redeems a token by its hash, as `redeemToken` does. Resolves to `undefined` if it is not stored or has expired. */
export async function redeemStored(
  ctx: EmailContext,
  key: TokenKey,
): Promise<VerificationToken | undefined> {
  const row = await callAdapter(getAdapter(ctx), "useVerificationToken", key);
  if (!row) return undefined;
  // Some adapters return the date as text.
  const expires = new Date(row.expires);
  const isGood = row.identifier === key.identifier && expires.getTime() > Date.now();
  return isGood ? { ...key, expires } : undefined;
}

/**
 * Redeems a token atomically: of N concurrent callers exactly one gets it. Resolves to `undefined` for a token that is
 * used, expired or for another address.
 */
export async function redeemToken(
  ctx: EmailContext,
  identifier: string,
  token: string,
): Promise<VerificationToken | undefined> {
  for (const key of await listKeys(ctx, identifier, token)) {
    const row = await redeemStored(ctx, key);
    if (row) return row;
  }
  return undefined;
}
