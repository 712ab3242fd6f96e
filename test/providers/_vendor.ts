import { createHash } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { JWTPayload } from "jose";
import type { Check } from "../../plugins/flows/oauth/provider.ts";
import type { VendorUser } from "./_provider.ts";

/** The vendor's part of a sign-in: endpoints and responses. */
export interface Way {
  /** Options that the application must set, such as the issuer. */
  options?: object;
  /** URL and document of the metadata. */
  metadata?: { url: string; document: Record<string, unknown> & { jwks_uri: string } };
  /** The authorization endpoint and its expected parameters besides the checks. */
  authorize: {
    url: string;
    query: Record<string, string>;
    clientIdParam?: string;
    fragment?: string;
  };
  /** The token endpoint, additional body parameters and its response. */
  token: { url: string; body?: Record<string, string>; answer: Record<string, unknown> };
  /** The userinfo endpoint with its query, and required headers. */
  userinfo?: { url: string; headers?: Record<string, string>; bearer?: false };
  /** Checks that the flow adds because the metadata does not mention PKCE. */
  added?: readonly Check[];
  /** Changes of ID token claims that must be refused, by description. */
  refusedClaims?: Record<string, NonNullable<Mischief["claims"]>>;
  /** Additional callback parameters. */
  callback?: Record<string, string>;
  /** The ID token's issuer when it differs from the provider's. */
  iss?: string;
  /** Response to an invalid code. */
  refusal: { status: number; body: Record<string, unknown> };
  /** Response to an invalid access token. */
  refusalOfUserinfo?: { status: number; body: Record<string, unknown> };
}

/** A request that the vendor received. */
export interface Asked {
  method: string;
  url: string;
  headers: Headers;
  body: Record<string, string>;
}

/** Deviations from the vendor's correct behavior. */
export interface Mischief {
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>;
  idToken?: (idToken: string) => string;
  /** Signs with a key that is not published. */
  foreignKey?: boolean;
  token?: () => Response;
  userinfo?: () => Response;
  enriched?: () => Response;
}

/** A fake vendor behind `fetch`. */
export interface Vendor {
  fetch: typeof fetch;
  /** All requests except those for metadata and keys. */
  readonly asked: Asked[];
  /** Grants consent and returns the parameters of the callback. */
  consent(authorizeUrl: URL): Record<string, string>;
  readonly mischief: Mischief;
}

export const clientId = "client-id";
export const clientSecret = "client/secret+1";

const pair = await generateKeyPair("RS256");
const foreign = await generateKeyPair("RS256");
const publicKey = { ...(await exportJWK(pair.publicKey)), kid: "key-1", alg: "RS256", use: "sig" };

function toFileResponse(dataUrl: string): Response {
  const [, type = "", base64 = ""] = /^data:([^;]+);base64,(.*)$/.exec(dataUrl) ?? [];
  return new Response(Buffer.from(base64, "base64"), { headers: { "content-type": type } });
}

export function createVendor(way: Way, vendorUser: VendorUser): Vendor {
  const asked: Asked[] = [];
  const mischief: Mischief = {};
  const codes = new Map<string, { challenge: string | null; nonce: string | null; to: string }>();

  async function exchange({ body }: Asked): Promise<Response> {
    const code = codes.get(body.code ?? "");
    codes.delete(body.code ?? "");
    const verified = createHash("sha256").update(body.code_verifier ?? "");
    const isVerified =
      (code?.challenge ?? null) === null || code?.challenge === verified.digest("base64url");
    if (!code || !isVerified || body.redirect_uri !== code.to) {
      return Response.json(way.refusal.body, { status: way.refusal.status });
    }
    if (mischief.token) return mischief.token();
    if (!way.metadata) return Response.json(way.token.answer);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: way.iss ?? way.metadata.document.issuer,
      aud: clientId,
      iat: now,
      exp: now + 600,
      ...(code.nonce !== null && { nonce: code.nonce }),
      ...vendorUser.answer,
    };
    const token = await new SignJWT((mischief.claims?.(claims) ?? claims) as JWTPayload)
      .setProtectedHeader({ alg: "RS256", kid: "key-1" })
      .sign(mischief.foreignKey ? foreign.privateKey : pair.privateKey);
    const idToken = mischief.idToken?.(token) ?? token;
    return Response.json({ ...way.token.answer, ...(idToken && { id_token: idToken }) });
  }

  async function answer(request: Asked): Promise<Response> {
    const { url } = request;
    if (url === way.token.url) return exchange(request);
    if (url === way.userinfo?.url) return mischief.userinfo?.() ?? Response.json(vendorUser.answer);
    if (vendorUser.enriched && Object.hasOwn(vendorUser.enriched, url)) {
      if (mischief.enriched) return mischief.enriched();
      const found = vendorUser.enriched[url];
      if (found === undefined) return Response.json({ message: "Not Found" }, { status: 404 });
      return typeof found === "string" ? toFileResponse(found) : Response.json(found);
    }
    return new Response("<h1>not here</h1>", {
      status: 404,
      headers: { "content-type": "text/html" },
    });
  }

  return {
    asked,
    mischief,
    async fetch(input, init) {
      const request = new Request(input, init);
      if (request.url === way.metadata?.url) return Response.json(way.metadata.document);
      if (request.url === way.metadata?.document.jwks_uri) {
        return Response.json({ keys: [publicKey] });
      }
      const { method, url, headers } = request;
      const body = Object.fromEntries(new URLSearchParams(await request.text()));
      asked.push({ method, url, headers, body });
      return answer({ method, url, headers, body });
    },
    consent({ searchParams }) {
      const code = `code-${codes.size + 1}-${crypto.randomUUID()}`;
      codes.set(code, {
        challenge: searchParams.get("code_challenge"),
        nonce: searchParams.get("nonce"),
        to: searchParams.get("redirect_uri") ?? "",
      });
      const state = searchParams.get("state");
      return { code, ...(state !== null && { state }), ...way.callback, ...vendorUser.posted };
    },
  };
}
