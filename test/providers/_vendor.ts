import { createHash } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { JWTPayload } from "jose";
import type { Check } from "../../src/index.ts";
import type { Person } from "./_provider.ts";

/** What is known of a vendor's end of a sign-in. */
export interface Way {
  /** What the application has to say, such as the issuer. */
  options?: object;
  /** Where its metadata is, and what it says. */
  metadata?: { url: string; document: Record<string, unknown> & { jwks_uri: string } };
  /** The authorization endpoint, and what is asked of it beside the checks. */
  authorize: {
    url: string;
    query: Record<string, string>;
    clientIdParam?: string;
    fragment?: string;
  };
  /** The token endpoint, what is posted beside the usual, and what it answers. */
  token: { url: string; body?: Record<string, string>; answer: Record<string, unknown> };
  /** The userinfo endpoint with its query, and headers that must be there. */
  userinfo?: { url: string; headers?: Record<string, string>; bearer?: false };
  /** Checks that the flow adds, because the metadata does not speak of PKCE. */
  added?: readonly Check[];
  /** Claims of an ID token that must not let anybody in, by what is wrong with it. */
  refusedClaims?: Record<string, NonNullable<Mischief["claims"]>>;
  /** What it adds to the callback. */
  callback?: Record<string, string>;
  /** The ID token's issuer, where it is not the provider's. */
  iss?: string;
  /** Answer to a code that is not good. */
  refusal: { status: number; body: Record<string, unknown> };
  /** Answer to an access token that is not good. */
  refusalOfUserinfo?: { status: number; body: Record<string, unknown> };
}

/** A request that the vendor was sent. */
export interface Asked {
  method: string;
  url: string;
  headers: Headers;
  body: Record<string, string>;
}

/** What can go wrong at a vendor. */
export interface Mischief {
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>;
  idToken?: (idToken: string) => string;
  /** Signs with a key that is not published. */
  foreignKey?: boolean;
  token?: () => Response;
  userinfo?: () => Response;
  beside?: () => Response;
}

/** A vendor behind `fetch`, that answers as the true one does. */
export interface Vendor {
  fetch: typeof fetch;
  /** Every request, metadata and keys left out. */
  readonly asked: Asked[];
  /** Takes the visitor's consent: the parameters of the callback. */
  consent(authorizeUrl: URL): Record<string, string>;
  readonly mischief: Mischief;
}

export const clientId = "client-id";
export const clientSecret = "client/secret+1";

const pair = await generateKeyPair("RS256");
const foreign = await generateKeyPair("RS256");
const publicKey = { ...(await exportJWK(pair.publicKey)), kid: "key-1", alg: "RS256", use: "sig" };

function fileOf(dataUrl: string): Response {
  const [, type = "", base64 = ""] = /^data:([^;]+);base64,(.*)$/.exec(dataUrl) ?? [];
  return new Response(Buffer.from(base64, "base64"), { headers: { "content-type": type } });
}

export function createVendor(way: Way, person: Person): Vendor {
  const asked: Asked[] = [];
  const mischief: Mischief = {};
  const codes = new Map<string, { challenge: string | null; nonce: string | null; to: string }>();

  async function exchange({ body }: Asked): Promise<Response> {
    const code = codes.get(body.code ?? "");
    codes.delete(body.code ?? "");
    const verified = createHash("sha256").update(body.code_verifier ?? "");
    const isProved =
      (code?.challenge ?? null) === null || code?.challenge === verified.digest("base64url");
    if (!code || !isProved || body.redirect_uri !== code.to) {
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
      ...person.answer,
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
    if (url === way.userinfo?.url) return mischief.userinfo?.() ?? Response.json(person.answer);
    if (person.beside && Object.hasOwn(person.beside, url)) {
      if (mischief.beside) return mischief.beside();
      const found = person.beside[url];
      if (found === undefined) return Response.json({ message: "Not Found" }, { status: 404 });
      return typeof found === "string" ? fileOf(found) : Response.json(found);
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
      return { code, ...(state !== null && { state }), ...way.callback, ...person.posted };
    },
  };
}
