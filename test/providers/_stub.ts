import { createHash } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { JWTPayload } from "jose";

/** A request for the profile that a service receives, and its response. */
export interface ProfileRequest {
  method: "GET" | "POST";
  url: string;
  /** Headers that must be present or, with `null`, absent. */
  headers?: Record<string, string | null>;
  /** The body of a POST: JSON, or the fields of a form. */
  body?: unknown;
  form?: Record<string, string>;
  answer: Record<string, unknown>;
  /** The response is a signed JWT. */
  signed?: true;
  /** Response to an invalid token. Default: status 401. */
  refusal?: Refusal;
}

interface Refusal {
  status: number;
  body: Record<string, unknown>;
}

/** The facts of a service, which `facts.json` holds by the provider's id. */
export interface ServiceFacts {
  /** The reason for differences from other libraries, if any. */
  because?: string;
  type: "oauth" | "oidc";
  /** Options that an application must set. */
  options?: Record<string, unknown>;
  /** The issuer of ID tokens, or the issuer in the metadata if it differs. */
  issuer?: string;
  published?: string;
  /** URL of the metadata, and of the keys without metadata. */
  metadata?: string;
  keys?: string;
  alg?: "HS256";
  /** The authorization endpoint and its parameters, except those of the protocol. */
  authorize: string;
  params?: Record<string, string>;
  clientIdParam?: string;
  /** The checks whose parameters are sent, in alphabetical order, and the PKCE method. */
  checks: string[];
  pkce?: "plain";
  /** Further parameters of the callback. */
  callback?: Record<string, string>;
  token: {
    url: string;
    /** How the client authenticates. */
    auth: "basic" | "post" | "none";
    /** Further fields of the request. `{state}` is the state of the attempt. */
    body?: Record<string, string>;
    contentType?: string;
    answer: Record<string, unknown>;
    refusal?: Refusal;
  };
  /** The claims of the ID token, or of an access token that is a JWT. */
  claims?: Record<string, unknown>;
  accessToken?: Record<string, unknown>;
  requests?: ProfileRequest[];
  /** The user, and whether the address is verified. `null` if nothing is reported. */
  user: { id: string; name: string | null; email: string | null; image: string | null };
  verified: boolean | null;
  /** The value that reports an address as unverified. Default `false`. */
  unverified?: unknown;
  /** Where the responses contain the address and its verification: `claim`, `member.path` or `1/path` of request 1. */
  paths: { id?: string; email?: string; verified?: string };
}

/** How a service deviates from its facts. */
export interface Deviation {
  token?: () => Response;
  /** The response to the first request for the profile. */
  profile?: () => Response;
  idToken?: (claims: JWTPayload) => JWTPayload | undefined;
  accessToken?: (claims: JWTPayload) => JWTPayload;
  /** Signs an access token with a key that is not published. */
  foreignKey?: boolean;
}

/** A request that the stub received. */
export interface Received {
  method: string;
  url: string;
  headers: Headers;
  text: string;
}

export const CLIENT = {
  clientId: "client-id",
  clientSecret: "client/secret+1, long enough for HS256",
};

const { privateKey, publicKey } = await generateKeyPair("RS256");
const foreign = await generateKeyPair("RS256");
const JWKS = { keys: [{ ...(await exportJWK(publicKey)), kid: "key", alg: "RS256", use: "sig" }] };

function sign(claims: JWTPayload, alg?: ServiceFacts["alg"], by = privateKey): Promise<string> {
  const key = alg === "HS256" ? new TextEncoder().encode(CLIENT.clientSecret) : by;
  return new SignJWT(claims).setProtectedHeader({ alg: alg ?? "RS256", kid: "key" }).sign(key);
}

const copy = <T>(value: T): T => structuredClone(value);
const refuse = ({ status, body }: Refusal) => Response.json(body, { status });

/** A service behind `fetch` that behaves as its facts say. */
export function createStub(given: ServiceFacts) {
  const facts = copy(given);
  const received: Received[] = [];
  const deviation: Deviation = {};
  const { token, requests = [] } = facts;
  const issuer = facts.issuer ?? "";
  const jwks = facts.keys ?? `${new URL(facts.authorize).origin}/keys`;
  let attempt = new URLSearchParams();

  const metadata = () => ({
    issuer: facts.published ?? issuer,
    authorization_endpoint: facts.authorize,
    token_endpoint: token.url,
    userinfo_endpoint: requests[0]?.url,
    jwks_uri: jwks,
    ...(facts.checks.includes("pkce") && { code_challenge_methods_supported: ["S256"] }),
  });

  async function exchange({ text }: Received): Promise<Response> {
    const fields = new URLSearchParams(text);
    const verifier = fields.get("code_verifier") ?? "";
    const challenge = attempt.get("code_challenge");
    const digest = createHash("sha256").update(verifier).digest("base64url");
    const isProved = challenge === null || challenge === (facts.pkce ? verifier : digest);
    const isKnown = fields.get("code") === "the-code" && isProved;
    if (!isKnown) return refuse(token.refusal ?? { status: 400, body: { error: "invalid_grant" } });
    if (deviation.token) return deviation.token();
    const now = Math.floor(Date.now() / 1000);
    const answer = copy(token.answer);
    if (facts.accessToken) {
      const claims = { iat: now, exp: now + 60, ...facts.accessToken } as JWTPayload;
      const by = deviation.foreignKey ? foreign.privateKey : privateKey;
      answer.access_token = await sign(deviation.accessToken?.(claims) ?? claims, undefined, by);
    }
    if (facts.type === "oidc") {
      const claims = {
        iss: facts.published ?? issuer,
        aud: CLIENT.clientId,
        iat: now,
        exp: now + 60,
        ...(attempt.has("nonce") && { nonce: attempt.get("nonce") }),
        ...facts.claims,
      } as JWTPayload;
      const changed = deviation.idToken ? deviation.idToken(claims) : claims;
      if (changed) answer.id_token = await sign(changed, facts.alg);
    }
    return Response.json(answer);
  }

  async function answerProfile(request: ProfileRequest, { headers, text }: Received, at: number) {
    const wrong = Object.entries(request.headers ?? {}).filter(
      ([name, value]) => headers.get(name) !== value,
    );
    const form = JSON.stringify(Object.fromEntries(new URLSearchParams(text)));
    const isBody =
      request.body !== undefined
        ? JSON.stringify(JSON.parse(text)) === JSON.stringify(request.body)
        : request.form === undefined
          ? text === ""
          : form === JSON.stringify(request.form);
    if (wrong.length || !isBody) {
      return refuse(request.refusal ?? { status: 401, body: { error: "invalid_token" } });
    }
    if (at === 0 && deviation.profile) return deviation.profile();
    if (!request.signed) return Response.json(request.answer);
    const claims = { iss: issuer, aud: CLIENT.clientId, ...request.answer };
    return new Response(await sign(claims), {
      headers: { "content-type": "application/jwt" },
    });
  }

  return {
    facts,
    received,
    deviation,
    /** Grants consent and returns the parameters of the callback. */
    consent({ searchParams }: URL): Record<string, string> {
      attempt = searchParams;
      const state = searchParams.get("state");
      return { code: "the-code", ...(state !== null && { state }), ...facts.callback };
    },
    async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
      const request = new Request(input, init);
      const { url, method, headers } = request;
      if (url === facts.metadata) return Response.json(metadata());
      if (url === jwks) return Response.json(JWKS);
      const one = { url, method, headers, text: await request.text() };
      received.push(one);
      if (url === token.url) return exchange(one);
      const at = requests.findIndex((each) => each.url === url && each.method === method);
      const found = requests[at];
      if (found) return answerProfile(found, one, at);
      return Response.json({ error: "not_found" }, { status: 404 });
    },
  };
}
