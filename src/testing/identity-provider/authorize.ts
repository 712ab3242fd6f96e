import type { Profile } from "../../types/models.ts";
import { type Grants, nowInSeconds, withSubject } from "./grants.ts";
import type { AuthorizationResponse, IdentityProvider } from "./types.ts";

/** The parts of an identity provider that authorization requests need. */
export interface AuthorizationServer {
  readonly idp: IdentityProvider;
  readonly grants: Grants;
  readonly clientIdParam: string;
}

// RFC 6749 section 4.1.2.1: these errors are shown to the visitor, because the redirect URI cannot be trusted.
function parseRequest(
  { idp, clientIdParam }: AuthorizationServer,
  url: string | URL,
): { asked: URLSearchParams; target: URL } {
  const asked = new URL(url).searchParams;
  const clientId = asked.get(clientIdParam);
  const redirectUri = asked.get("redirect_uri") ?? "";
  const fault = (what: string) => new Error(`The authorization request has ${what}: ${url}`);
  if (clientId !== idp.client.clientId) {
    throw fault(
      `the ${clientIdParam} "${clientId}", but only "${idp.client.clientId}" is registered`,
    );
  }
  if (!URL.canParse(redirectUri)) throw fault("no redirect_uri");
  return { asked, target: new URL(redirectUri) };
}

function findError({ refuse }: IdentityProvider, asked: URLSearchParams): string | undefined {
  return asked.get("response_type") === "code" ? refuse : "unsupported_response_type";
}

/** Returns the authorization response of `idp.authorize`. */
export async function authorize(
  server: AuthorizationServer,
  url: string | URL,
  user: Profile,
): Promise<AuthorizationResponse> {
  const { idp, grants } = server;
  const { asked, target } = parseRequest(server, url);
  const error = findError(idp, asked);
  const state = asked.get("state");
  const grant = { user: withSubject(user), asked, authTime: nowInSeconds() };
  const params = new URLSearchParams({
    ...(error === undefined ? { code: grants.issueCode(grant) } : { error }),
    ...(state !== null && { state }),
    // RFC 9207: identifies the issuer of this response.
    iss: idp.issuer,
  });
  const sent = (await idp.tamper.authorization?.(params)) ?? params;
  if (asked.get("response_mode") === "form_post") {
    return { url: target.href, fields: Object.fromEntries(sent) };
  }
  for (const [name, value] of sent) target.searchParams.append(name, value);
  return { url: target.href };
}
