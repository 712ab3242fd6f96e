import * as oauth from "oauth4webapi";

/** The program's `client_id`, which is its key in `apps` of `playground/auth.ts`. It has no secret. */
export const CLIENT: oauth.Client = { client_id: "cli" };

/** The playground runs on this machine without TLS. Do not set this anywhere else. */
export const LOCAL = { [oauth.allowInsecureRequests]: true };

/** Origin of the playground: the program's argument or the default. */
export const ORIGIN = process.argv[2] ?? "http://localhost:3000";

/** Resolves to the endpoints in the playground's metadata (RFC 8414). */
export async function discover(origin: string): Promise<oauth.AuthorizationServer> {
  const issuer = new URL("/auth", origin);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...LOCAL });
  return oauth.processDiscoveryResponse(issuer, response);
}

/**
 * Calls the API with an access token, then ends its session. A real program keeps the token in the system's keychain.
 */
export async function greet(origin: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const me = await fetch(`${origin}/api/me`, { headers });
  if (!me.ok) throw new Error(`The API has responded with the status ${me.status}.`);
  const { name, email } = (await me.json()) as { name?: string; email?: string };
  await fetch(`${origin}/api/auth/signout`, { method: "POST", headers });
  return `Signed in as ${name ?? email ?? "a user without a name"}, and out again.`;
}
