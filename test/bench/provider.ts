import { generateKeyPairSync, sign } from "node:crypto";
import type { GenericOAuthConfig } from "better-auth/plugins";

const ISSUER = "https://idp.example";
const CLIENT = { clientId: "bench", clientSecret: "a client secret of the benchmark" };

const profile = {
  sub: "42",
  id: "42",
  name: "Ada Lovelace",
  email: "ada@example.com",
  email_verified: true,
};
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = { ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256", use: "sig" };

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function idToken(nonce: string | undefined): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { ...profile, iss: ISSUER, aud: CLIENT.clientId, iat, exp: iat + 600, nonce };
  const text = `${base64url({ alg: "ES256", kid: "one" })}.${base64url(claims)}`;
  const options = { key: privateKey, dsaEncoding: "ieee-p1363" } as const;
  return `${text}.${sign("sha256", Buffer.from(text), options).toString("base64url")}`;
}

// The code contains the nonce, so that the provider needs no state.
async function tokens(body: string, isOidc: boolean) {
  const code = new URLSearchParams(body).get("code") ?? "";
  const nonce = code.slice("code-".length) || undefined;
  const id_token = isOidc ? idToken(nonce) : undefined;
  return { access_token: "access", token_type: "bearer", expires_in: 600, id_token };
}

const metadata = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/oidc-token`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
  jwks_uri: `${ISSUER}/jwks`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
  code_challenge_methods_supported: ["S256"],
};

/** The provider's endpoints for the server. Their time counts for every side. */
export async function ask(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = input instanceof Request ? input : undefined;
  const body = async () => new Response(request?.body ?? init?.body).text();
  switch (new URL(request?.url ?? (input as string | URL)).pathname) {
    case "/.well-known/openid-configuration":
      return Response.json(metadata);
    case "/jwks":
      return Response.json({ keys: [jwk] });
    case "/token":
      return Response.json(await tokens(await body(), false));
    case "/oidc-token":
      return Response.json(await tokens(await body(), true));
    case "/userinfo":
      return Response.json(profile);
    default:
      return new Response(null, { status: 404 });
  }
}

/** The types of provider. */
export type Kind = "oauth" | "oidc";

/** Returns a URL at which the provider would ask the user for consent. */
export function authorize(kind: Kind, redirectUri: string): string {
  const query = new URLSearchParams({ client_id: CLIENT.clientId, redirect_uri: redirectUri });
  if (kind === "oidc") query.set("nonce", "nonce");
  return `${ISSUER}/authorize?${query.toString()}`;
}

/** Returns the path of the redirect back to the application after the user consented. */
export function consent(location: string): string {
  const { searchParams: asked } = new URL(location);
  const back = new URL(asked.get("redirect_uri") ?? "");
  back.searchParams.set("code", `code-${asked.get("nonce") ?? ""}`);
  const state = asked.get("state");
  if (state !== null) back.searchParams.set("state", state);
  return back.pathname + back.search;
}

/** The provider's configuration for Auth.js and Keyhook. */
export const providers = {
  oauth: {
    id: "idp",
    name: "Provider",
    type: "oauth",
    ...CLIENT,
    authorization: `${ISSUER}/authorize`,
    token: `${ISSUER}/token`,
    userinfo: `${ISSUER}/userinfo`,
    profile: ({ sub, name, email }: typeof profile) => ({ id: sub, name, email }),
  },
  oidc: { id: "idp", name: "Provider", type: "oidc", ...CLIENT, issuer: ISSUER },
} as const;

/** The provider's configuration for better-auth. */
export const generic: Readonly<Record<Kind, GenericOAuthConfig>> = {
  oauth: {
    providerId: "idp",
    ...CLIENT,
    authorizationUrl: `${ISSUER}/authorize`,
    tokenUrl: `${ISSUER}/token`,
    userInfoUrl: `${ISSUER}/userinfo`,
    pkce: true,
  },
  oidc: {
    providerId: "idp",
    ...CLIENT,
    discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
    scopes: ["openid", "profile", "email"],
    pkce: true,
  },
};
