import { createCache, createLoader, encodeBase64url, encodeText } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Apple's ID token, and `user`, which Apple posts with the code only at the first consent. */
export interface AppleProfile {
  sub: string;
  email?: string;
  email_verified?: boolean | "true" | "false";
  /** Whether the address belongs to Apple's private relay. */
  is_private_email?: boolean | "true" | "false";
  /** Posted by the browser and unsigned. Use it for a name only; it verifies nothing. */
  user?: { name?: { firstName?: string; lastName?: string }; email?: string };
}

/** Options of `applePlugin` that sign the client secret. Set all three, or only `clientSecret`. */
export interface AppleOptions {
  /** The team id of the developer account. */
  teamId?: string;
  /** The id of the key. */
  keyId?: string;
  /** The content of the `.p8` file: a PKCS #8 key in PEM. */
  privateKey?: string;
}

const ISSUER = "https://appleid.apple.com";

/** Lifetime in seconds. Apple accepts up to six months, but a stolen secret must not work for long. */
const CLIENT_SECRET_TTL_S = 300;

/**
 * Adds sign-in with Apple. The callback is a POST to `/auth/callback/apple`, so it works only over https. Reads
 * `AUTH_APPLE_ID` and `AUTH_APPLE_SECRET`, or signs the secret with `teamId`, `keyId` and `privateKey`.
 */
export const applePlugin: ProviderFactory<
  OIDCProvider<AppleProfile>,
  AppleOptions
> = defineProvider(oidcFlow, ({ teamId, keyId, privateKey }) => ({
  id: "apple",
  name: "Apple",
  type: "oidc",
  style: { brandColor: "#000" },
  settings: {
    teamId: { example: "A1B2C3D4E5" },
    keyId: { example: "F6G7H8I9J0" },
    privateKey: { example: "-----BEGIN PRIVATE KEY-----" },
  },
  issuer: ISSUER,
  authorization: { params: { scope: "name email", response_mode: "form_post" } },
  client: { token_endpoint_auth_method: "client_secret_post" },
  ...(teamId &&
    keyId &&
    privateKey && { clientSecret: createClientSecret(teamId, keyId, privateKey) }),
  checks: ["pkce", "state", "nonce"],
  profileParams: ["user"],
  profile: ({ sub, email = null, user }) => ({
    id: sub,
    name: [user?.name?.firstName, user?.name?.lastName].filter(Boolean).join(" ") || email,
    email,
    image: null,
  }),
}));

/** Creates the ES256 JWT that Apple accepts as a client secret, and renews it a minute before it expires. */
function createClientSecret(teamId: string, keyId: string, privateKey: string) {
  const secrets = createLoader<string>({
    loads: createCache({ max: 1 }),
    ttl: (CLIENT_SECRET_TTL_S - 60) * 1000,
  });
  const signSecret = (clientId: string) => {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: teamId,
      iat: now,
      exp: now + CLIENT_SECRET_TTL_S,
      aud: ISSUER,
      sub: clientId,
    };
    return sign({ alg: "ES256", kid: keyId }, claims, privateKey);
  };
  return ({ clientId = "" }: { clientId?: string }) => {
    return secrets.get(clientId, () => signSecret(clientId));
  };
}

async function sign(header: object, claims: object, pem: string): Promise<string> {
  // In environment variables, line breaks are often escaped as \n.
  const base64 = pem.replace(/-----[^-]+-----|\\n|\s/g, "");
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
  const input = [header, claims].map((part) => encodeBase64url(JSON.stringify(part))).join(".");
  const signature = await crypto.subtle.sign(algorithm, key, encodeText(input));
  return `${input}.${encodeBase64url(new Uint8Array(signature))}`;
}

export default applePlugin;
