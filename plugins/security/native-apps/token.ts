import { NO_STORE } from "../../../src/_kit.ts";
import type { AuthContext, Body } from "../../../src/kernel.ts";
import type { App } from "./apps.ts";
import type { GrantKey, Proof } from "./grants.ts";
import type { Parts } from "./parts.ts";
import { readPosted, refuseToken } from "./refuse.ts";

/** `grant_type` of a device (RFC 8628 section 3.4). */
export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** RFC 7636 section 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;
/** A user code, and 32 bytes as base64url. */
const DEVICE_CODE = /^[B-Z]{8}[\w-]{43}$/;

type TokenRequest = [key: GrantKey, proof: Proof] | { error: string; description: string };

// Reads what a request redeems, and with which proof.
function readGrant({ base }: AuthContext, app: App, body: Body): TokenRequest {
  const { grant_type: type, code, code_verifier: verifier, redirect_uri: redirectUri } = body;
  if (type === "authorization_code") {
    const isComplete =
      typeof code === "string" &&
      typeof redirectUri === "string" &&
      typeof verifier === "string" &&
      VERIFIER.test(verifier);
    return isComplete
      ? [["code", base, code], { secret: verifier, redirectUri }]
      : {
          error: "invalid_request",
          description:
            "`code`, `redirect_uri` and a `code_verifier` of 43 to 128 characters are required.",
        };
  }
  if (type === DEVICE_GRANT) {
    if (!app.device)
      return { error: "unauthorized_client", description: "The app supports no devices." };
    const { device_code: deviceCode } = body;
    if (typeof deviceCode !== "string" || !DEVICE_CODE.test(deviceCode)) {
      return { error: "invalid_grant", description: "The device code is not valid." };
    }
    return [["device", base, deviceCode.slice(0, 8)], { secret: deviceCode.slice(8) }];
  }
  return typeof type === "string"
    ? { error: "unsupported_grant_type", description: "Use authorization_code, or device_code." }
    : { error: "invalid_request", description: "`grant_type` is missing." };
}

/** `POST /token`: returns a session token for an app (RFC 6749 section 5, RFC 8628 section 3.4). */
export async function sendToken(parts: Parts, ctx: AuthContext): Promise<Response> {
  const posted = await readPosted(parts.apps, ctx);
  if (posted instanceof Response) return posted;
  const { app, body } = posted;
  const request = readGrant(ctx, app, body);
  if (!Array.isArray(request)) return refuseToken(ctx, request.error, request.description);
  const redeemed = await parts.grants.redeem(ctx, app, ...request);
  if ("error" in redeemed) return refuseToken(ctx, redeemed.error);
  const { token, expires } = redeemed;
  return ctx.json(
    {
      // Encoded as in `Authorization`, for tokens in an application's own format.
      access_token: encodeURIComponent(token),
      token_type: "Bearer",
      ...(expires && {
        expires_in: Math.max(0, Math.floor((expires.getTime() - Date.now()) / 1000)),
      }),
    },
    { headers: NO_STORE },
  );
}
