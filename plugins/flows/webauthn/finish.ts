import { BadRequest } from "../../../src/errors.ts";
import type { Identity } from "../../../src/kernel.ts";
import { authenticate } from "./authenticate.ts";
import { takeCeremony } from "./challenge.ts";
import { refusal } from "./error.ts";
import { register } from "./register.ts";
import { readClientData, readPosted } from "./response.ts";
import type { WebAuthnContext } from "./types.ts";

const FINISH = { register, authenticate };

/**
 * `POST /callback/:provider`: verifies the browser's response. First marks its challenge as used, whatever the outcome.
 * @throws BadRequest, InvalidCheck, WebAuthnVerificationError, AccountNotLinked, SessionRequired
 */
export async function finish(ctx: WebAuthnContext): Promise<Identity> {
  const { action, data } = await ctx.body();
  if (action !== "register" && action !== "authenticate") {
    throw new BadRequest("`action` must be register or authenticate.");
  }
  const posted = readPosted(data);
  const clientData = readClientData(posted);
  const ceremony = await takeCeremony(ctx, clientData.challenge);
  if (ceremony.action !== action) throw refusal("The challenge was issued for another action.");
  ctx.debug?.("the challenge is this browser's and unused", { ceremony: action });
  const identity = await FINISH[action](ctx, posted, clientData, ceremony);
  ctx.debug?.("the response of the authenticator is valid");
  return identity;
}
