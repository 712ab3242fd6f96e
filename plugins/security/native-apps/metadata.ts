import type { AuthContext } from "../../../src/kernel.ts";
import type { Apps } from "./apps.ts";
import type { Parts } from "./parts.ts";
import { DEVICE_GRANT } from "./token.ts";

/** The metadata of the endpoints for native apps (RFC 8414 section 2, RFC 8628 section 4). */
export interface ServerMetadata {
  /** URL of the routes, with which apps compare `iss`. */
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  /** Present if there is an app for devices. */
  readonly device_authorization_endpoint?: string;
  readonly response_types_supported: readonly string[];
  readonly response_modes_supported: readonly string[];
  readonly grant_types_supported: readonly string[];
  readonly token_endpoint_auth_methods_supported: readonly string[];
  readonly code_challenge_methods_supported: readonly string[];
  readonly authorization_response_iss_parameter_supported: boolean;
}

/** Builds the metadata at the URL of a request's routes. */
export function buildMetadata(apps: Apps, { base }: Pick<AuthContext, "base">): ServerMetadata {
  const all = [...apps.values()];
  const hasDevices = all.some(({ device }) => device);
  const hasCodes = all.some(({ redirectUris }) => redirectUris.length);
  return {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    ...(hasDevices && { device_authorization_endpoint: `${base}/device-authorization` }),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: [
      ...(hasCodes ? ["authorization_code"] : []),
      ...(hasDevices ? [DEVICE_GRANT] : []),
    ],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
}

/**
 * `GET /.well-known/oauth-authorization-server`, below the base path. Clients that know only the issuer put
 * `/.well-known/...` before the issuer's path (RFC 8414 section 3.1), where the application serves the same metadata.
 */
export async function sendMetadata({ apps }: Parts, ctx: AuthContext): Promise<Response> {
  return ctx.json(buildMetadata(apps, ctx));
}
