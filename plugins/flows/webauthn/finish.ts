import { AccountNotLinked, BadRequest, land, OAuthAccountNotLinked } from "../../../src/index.ts";
import { authenticate } from "./authenticate.ts";
import type { Burn } from "./burn.ts";
import { takeCeremony } from "./challenge.ts";
import { refusal } from "./fault.ts";
import { register } from "./register.ts";
import { readClientData, readPosted } from "./response.ts";
import type { WebAuthnContext } from "./types.ts";

const FINISH = { register, authenticate };

/**
 * `POST /callback/:provider`: the browser's answer. Its challenge is used up first, whatever follows.
 * @throws BadRequest, InvalidCheck, WebAuthnVerificationError, AccountNotLinked
 */
export async function finish(ctx: WebAuthnContext, burn: Burn): Promise<Response> {
  const { action, data } = await ctx.body();
  if (action !== "register" && action !== "authenticate") {
    throw new BadRequest("`action` must be register or authenticate.");
  }
  const posted = readPosted(data);
  const clientData = readClientData(posted);
  const ceremony = await takeCeremony(ctx, clientData.challenge, burn);
  if (ceremony.action !== action) throw refusal("The challenge was for another action.");
  const identity = await FINISH[action](ctx, posted, clientData, ceremony);
  try {
    return await land(ctx, identity);
  } catch (error) {
    if (!(error instanceof OAuthAccountNotLinked)) throw error;
    throw new AccountNotLinked(error.message, { cause: error.cause });
  }
}
