import { callAdapter, sha256Hex, randomHex } from "../../../src/index.ts";
import type { Adapter, VerificationToken } from "../../../src/index.ts";
import type { EmailContext } from "./types.ts";

/** A token that was made and stored. */
export interface IssuedToken {
  /** As it stands in the link. */
  token: string;
  stored: VerificationToken;
}

function adapterOf({ kernel }: EmailContext): Adapter {
  return kernel.adapter as Adapter;
}

// Newest first. Auth.js joins several by commas: the links it sent stay good.
function secretsOf({ provider, kernel }: EmailContext): string[] {
  const secrets = [provider.secret ?? kernel.config.secret].flat();
  return secrets.length > 1 ? [...secrets, secrets.join(",")] : secrets;
}

// As Auth.js stores it. With 256 random bits in the token, nothing is gained by more.
async function hashOf(token: string, secret: string): Promise<string> {
  return sha256Hex(token + secret);
}

/** Makes a token for an address and stores its hash. */
export async function issueToken(ctx: EmailContext, identifier: string): Promise<IssuedToken> {
  const { generateVerificationToken, maxAge = 0 } = ctx.provider;
  const token = String((await generateVerificationToken?.()) || randomHex(32));
  const stored = {
    identifier,
    token: await hashOf(token, secretsOf(ctx)[0] ?? ""),
    expires: new Date(Date.now() + maxAge * 1000),
  };
  await callAdapter(adapterOf(ctx), "createVerificationToken", { ...stored });
  return { token, stored };
}

/** Removes a token that nobody shall use; what goes wrong is logged, and the token expires. */
export async function withdrawToken(ctx: EmailContext, { stored }: IssuedToken): Promise<void> {
  const { identifier, token } = stored;
  try {
    await callAdapter(adapterOf(ctx), "useVerificationToken", { identifier, token });
  } catch (error) {
    ctx.kernel.logger.error(error as Error);
  }
}

/** Puts back a token that was used up for nothing; what goes wrong is logged, and `false` the answer. */
export async function restoreToken(ctx: EmailContext, row: VerificationToken): Promise<boolean> {
  try {
    await callAdapter(adapterOf(ctx), "createVerificationToken", { ...row });
    return true;
  } catch (error) {
    ctx.kernel.logger.error(error as Error);
    return false;
  }
}

/**
 * Uses up a token: of many at once exactly one gets it. Answers nothing for one that is used up,
 * expired or another address's.
 */
export async function redeemToken(
  ctx: EmailContext,
  identifier: string,
  token: string,
): Promise<VerificationToken | undefined> {
  for (const secret of secretsOf(ctx)) {
    const key = { identifier, token: await hashOf(token, secret) };
    const row = await callAdapter(adapterOf(ctx), "useVerificationToken", key);
    if (!row) continue;
    // Some adapters answer the date as text.
    const expires = new Date(row.expires);
    const isGood = row.identifier === identifier && expires.getTime() > Date.now();
    return isGood ? { ...key, expires } : undefined;
  }
  return undefined;
}
