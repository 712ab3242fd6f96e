import { createLoader, defineProvider, encodeBase64url, encodeText } from "../../src/index.ts";
import type { OIDCProvider } from "../../src/index.ts";

/** The claims of Apple's ID token, with what it posts beside the code at the first consent. */
export interface AppleProfile {
  sub: string;
  email?: string;
  email_verified?: boolean | "true" | "false";
  /** Whether the address is one of Apple's relay. */
  is_private_email?: boolean | "true" | "false";
  /** Posted by the browser: good for a name, proves nothing. */
  user?: { name?: { firstName?: string; lastName?: string }; email?: string };
}

/** What makes the client secret: all three together, or `clientSecret` itself. */
export interface AppleOptions {
  teamId?: string;
  keyId?: string;
  /** Content of the `.p8` file: a PKCS #8 key as PEM. */
  privateKey?: string;
}

const ISSUER = "https://appleid.apple.com";

/** Seconds. Apple takes up to six months; a stolen one shall not serve for long. */
const LIFE = 300;

/**
 * Sign-in with Apple. Callback `/auth/callback/apple`, posted, so it works over https only; reads
 * `AUTH_APPLE_ID` and `AUTH_APPLE_SECRET`, or makes the secret of `teamId`, `keyId`, `privateKey`.
 */
export const applePlugin = defineProvider<OIDCProvider<AppleProfile>, AppleOptions>(
  ({ teamId, keyId, privateKey }) => ({
    id: "apple",
    name: "Apple",
    type: "oidc",
    style: { brandColor: "#000" },
    issuer: ISSUER,
    authorization: { params: { scope: "name email", response_mode: "form_post" } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    ...(teamId && keyId && privateKey && { clientSecret: secretOf(teamId, keyId, privateKey) }),
    checks: ["pkce", "state", "nonce"],
    profileParams: ["user"],
    profile: ({ sub, email = null, user }) => ({
      id: sub,
      name: [user?.name?.firstName, user?.name?.lastName].filter(Boolean).join(" ") || email,
      email,
      image: null,
    }),
    emailVerified: ({ email_verified }) => email_verified === true || email_verified === "true",
  }),
);

/** Makes the ES256 token that Apple takes for a secret, anew a minute before it ends. */
function secretOf(teamId: string, keyId: string, privateKey: string) {
  const secrets = createLoader<string>({ max: 1, ttl: (LIFE - 60) * 1000 }, (clientId) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: teamId, iat: now, exp: now + LIFE, aud: ISSUER, sub: clientId };
    return sign({ alg: "ES256", kid: keyId }, claims, privateKey);
  });
  return ({ clientId = "" }: { clientId?: string }) => secrets.get(clientId);
}

async function sign(header: object, claims: object, pem: string): Promise<string> {
  // In an environment variable the line breaks are often written as \n.
  const base64 = pem.replace(/-----[^-]+-----|\\n|\s/g, "");
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
  const input = [header, claims].map((part) => encodeBase64url(JSON.stringify(part))).join(".");
  const signature = await crypto.subtle.sign(algorithm, key, encodeText(input));
  return `${input}.${encodeBase64url(new Uint8Array(signature))}`;
}

export default applePlugin;
