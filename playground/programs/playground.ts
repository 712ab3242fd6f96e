import * as oauth from "oauth4webapi";

/** The program's `client_id`: the key of `apps` in `playground/auth.ts`. It has no secret. */
export const CLIENT: oauth.Client = { client_id: "cli" };

/** The playground is on this machine, without TLS. Leave this out everywhere else. */
export const LOCAL = { [oauth.allowInsecureRequests]: true };

/** Where the playground is: the program's argument, or where it starts by default. */
export const ORIGIN = process.argv[2] ?? "http://localhost:3000";

/** Resolves to the endpoints of the playground, which it states (RFC 8414). */
export async function discover(origin: string): Promise<oauth.AuthorizationServer> {
  const issuer = new URL("/auth", origin);
  const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...LOCAL });
  return oauth.processDiscoveryResponse(issuer, response);
}

/** Calls the API with an access token, which a real program keeps in the system's keychain, and ends its session. */
export async function greet(origin: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const me = await fetch(`${origin}/api/me`, { headers });
  if (!me.ok) throw new Error(`The API has responded with the status ${me.status}.`);
  const { name, email } = (await me.json()) as { name?: string; email?: string };
  await fetch(`${origin}/api/auth/signout`, { method: "POST", headers });
  return `Signed in as ${name ?? email ?? "a user without a name"}, and out again.`;
}
