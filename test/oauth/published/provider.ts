import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { oauthProvider } from "@better-auth/oauth-provider";
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { toNodeHandler } from "better-auth/node";
import { jwt } from "better-auth/plugins";

const TABLES = [
  ...["user", "session", "account", "verification", "jwks", "rateLimit"],
  ...["oauthClient", "oauthAccessToken", "oauthRefreshToken", "oauthConsent"],
  ...["oauthResource", "oauthClientResource", "oauthClientAssertion"],
];

/** Starts the provider, with a client for the application at `origin` and a user who is signed in. */
export async function startProvider(origin: string) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = betterAuth({
    baseURL,
    secret: "a-secret-of-the-provider-0123456789abcdef",
    database: memoryAdapter(Object.fromEntries(TABLES.map((name) => [name, []]))),
    emailAndPassword: { enabled: true },
    // The token endpoint of the plugin `jwt` is not the OAuth token endpoint.
    disabledPaths: ["/token"],
    logger: { disabled: true },
    rateLimit: { enabled: false },
    plugins: [
      jwt(),
      oauthProvider({
        loginPage: "/login",
        consentPage: "/consent",
        scopes: ["openid", "profile", "email", "offline_access"],
        silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
      }),
    ],
  });
  const handle = toNodeHandler(provider);
  server.on("request", (req, res) => void handle(req, res));

  const signUp = await provider.api.signUpEmail({
    body: { name: "Ada", email: "ada@example.com", password: "lovelace-1815" },
    asResponse: true,
  });
  const jar = new Map<string, string>();
  const keep = (response: Response) => {
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
  };
  keep(signUp);
  const getCookie = () => [...jar].map((pair) => pair.join("=")).join("; ");

  const client = await provider.api.adminCreateOAuthClient({
    headers: new Headers({ cookie: getCookie() }),
    body: {
      redirect_uris: [`${origin}/auth/callback/idp`],
      post_logout_redirect_uris: [`${origin}/auth/signout/callback`],
      backchannel_logout_uri: `${origin}/auth/backchannel-logout/idp`,
      backchannel_logout_session_required: true,
      enable_end_session: true,
      skip_consent: true,
      scope: "openid profile email offline_access",
      token_endpoint_auth_method: "client_secret_basic",
      grant_types: ["authorization_code", "refresh_token"],
    },
  });

  return {
    issuer: `${baseURL}/api/auth`,
    clientId: client.client_id,
    clientSecret: client.client_secret as string,
    /** Opens a URL of the provider as the user's browser, and resolves to the redirect's target. */
    async visit(url: string): Promise<string> {
      const headers = { cookie: getCookie() };
      const response = await fetch(url, { headers, redirect: "manual" });
      keep(response);
      const body = await response.text();
      const target = response.headers.get("location") ?? (JSON.parse(body) as { url: string }).url;
      return new URL(target, baseURL).href;
    },
    /** Signs the user in, or out, at the provider itself. */
    async enter() {
      const body = { email: "ada@example.com", password: "lovelace-1815" };
      keep(await provider.api.signInEmail({ body, asResponse: true }));
    },
    async leave() {
      const headers = new Headers({ cookie: getCookie(), origin: baseURL });
      keep(await provider.api.signOut({ headers, asResponse: true }));
    },
    async isSignedIn(): Promise<boolean> {
      const headers = new Headers({ cookie: getCookie() });
      return (await provider.api.getSession({ headers })) !== null;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
