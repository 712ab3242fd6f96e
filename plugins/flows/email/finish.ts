import { land, randomUUID, Verification } from "../../../src/index.ts";
import type { AdapterUser, Identity } from "../../../src/index.ts";
import { addressOf } from "./address.ts";
import { confirmPage, forgetAsker, type Link, mayUse } from "./confirm.ts";
import type { Limits } from "./limits.ts";
import type { Requests } from "./requests.ts";
import { redeemToken, restoreToken } from "./token.ts";
import type { EmailContext } from "./types.ts";

// Mail programs break long links, and people copy half of them: no fault of the configuration.
async function linkOf(ctx: EmailContext): Promise<Link> {
  const isPost = ctx.request.method === "POST";
  const given: Record<string, unknown> = isPost
    ? await ctx.body()
    : Object.fromEntries(ctx.url.searchParams);
  const { email, token } = given;
  if (typeof token !== "string" || token === "" || typeof email !== "string") {
    throw new Verification("The link has no token or no address.");
  }
  try {
    return { token, email: addressOf(ctx.provider, email) };
  } catch (error) {
    throw new Verification("The link has no address.", { cause: error });
  }
}

function identityOf({ provider }: EmailContext, email: string): Identity {
  const user: AdapterUser = { id: randomUUID(), email, emailVerified: null };
  return {
    user,
    account: { provider: provider.id, type: "email", providerAccountId: email },
    emailVerified: true,
  };
}

/**
 * Lets in who follows the link, once, or asks to press a button first.
 * @throws Verification when the link is used up, expired or not for this address.
 */
export async function finish(
  ctx: EmailContext,
  { limits, requests }: { limits: Limits; requests: Requests },
): Promise<Response> {
  const link = await linkOf(ctx);
  if (!(await mayUse(ctx, link))) return confirmPage(ctx, link);

  const { email, token } = link;
  const isFew = await limits.admit(ctx, "attempts", email);
  const row = isFew ? await redeemToken(ctx, email, token) : undefined;
  if (!row) throw new Verification("The link is used up, expired or foreign.");
  await limits.forgive(ctx, "attempts", email);
  let response: Response;
  try {
    response = await land(ctx, identityOf(ctx, email));
  } catch (error) {
    // Nobody is in: the link may be followed again when what refused or failed has changed.
    if (await restoreToken(ctx, row)) throw error;
    throw new Verification("The link was used up for nothing.", { cause: error });
  }
  forgetAsker(ctx);
  await requests.forget(ctx, email);
  return response;
}
