import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

type Json = Record<string, unknown>;

/** A signing key of the provider. */
export interface OpKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

/** Overrides with which a test makes the provider misbehave. */
export interface Script {
  /** Changes the discovery document. */
  metadata?(document: Json): Json;
  /** Changes the claims before they are signed. */
  claims?(claims: Json): Json;
  /** Changes the protected header before it is signed. */
  header?(header: Json): Json;
  /** Creates the ID token in place of the provider. */
  idToken?(claims: Json, key: OpKey): string | undefined | Promise<string | undefined>;
  /** Changes the token endpoint's response. */
  tokens?(answer: Json): Json;
  /** Changes the userinfo endpoint's response. */
  userinfo?(claims: Json): unknown;
  /** Changes the published key set. */
  jwks?(keys: JWK[]): JWK[];
  /** Changes the authorization response's parameters. */
  answer?(params: URLSearchParams): void;
  /** Offset of the provider's clock, in seconds. */
  clock?: number;
  /** Handles an endpoint in place of the provider, by its path. */
  takeover?: Record<
    string,
    (request: IncomingMessage, response: ServerResponse) => void | Promise<void>
  >;
}

/** A request that the provider received. */
export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | string[] | undefined>;
  body: URLSearchParams;
}

/** The authorization response that the browser delivers to the application. */
export interface Callback {
  url: string;
  /** The posted form, for form_post. */
  fields?: Record<string, string>;
}

/** A small identity provider that tests can make misbehave. */
export interface Op {
  issuer: string;
  script: Script;
  received: Received[];
  keys: OpKey[];
  /** Parameters of the last authorization request. */
  asked: URLSearchParams;
  count(path: string): number;
  /** Responds to an authorization request as if the user consented, or with an error. */
  authorize(location: string, error?: string): Promise<Callback>;
  /** Replaces all signing keys with a new one. */
  rotate(alg?: string): Promise<void>;
  reset(): void;
  close(): Promise<void>;
}

export const CLIENT_ID = "client";
export const CLIENT_SECRET = "a-client-secret-of-at-least-32-characters";

async function newKey(kid: string, alg = "RS256"): Promise<OpKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: "sig" };
  return { kid, alg, privateKey, jwk };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
}

/** Starts a provider on this machine. */
export async function startOp(): Promise<Op> {
  const codes = new Map<string, URLSearchParams>();
  let serial = 0;
  const firstKey = await newKey("key-0");

  const send = (response: ServerResponse, value: unknown, status = 200): void => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(value));
  };

  const now = (): number => Math.floor(Date.now() / 1000) + (op.script.clock ?? 0);

  async function buildIdToken(asked: URLSearchParams): Promise<string | undefined> {
    const key = op.keys[0] as OpKey;
    const nonce = asked.get("nonce");
    const claims: Json = {
      iss: op.issuer,
      sub: "subject-1",
      aud: CLIENT_ID,
      iat: now(),
      exp: now() + 300,
      name: "Ada Lovelace",
      email: "Ada@Example.com",
      email_verified: true,
      ...(nonce && { nonce }),
    };
    const final = op.script.claims?.(claims) ?? claims;
    if (op.script.idToken) return op.script.idToken(final, key);
    const header = { alg: key.alg, kid: key.kid };
    return new SignJWT(final)
      .setProtectedHeader((op.script.header?.(header) ?? header) as { alg: string })
      .sign(key.privateKey);
  }

  async function token(body: URLSearchParams, response: ServerResponse): Promise<void> {
    const asked = codes.get(body.get("code") ?? "");
    codes.delete(body.get("code") ?? "");
    if (!asked || body.get("redirect_uri") !== asked.get("redirect_uri")) {
      return send(response, { error: "invalid_grant" }, 400);
    }
    const challenge = asked.get("code_challenge");
    if (challenge) {
      const verifier = new TextEncoder().encode(body.get("code_verifier") ?? "");
      const digest = await crypto.subtle.digest("SHA-256", verifier);
      if (Buffer.from(digest).toString("base64url") !== challenge) {
        return send(response, { error: "invalid_grant" }, 400);
      }
    }
    const idToken = asked.get("scope")?.includes("openid") ? await buildIdToken(asked) : undefined;
    const answer: Json = {
      access_token: "access-token",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "refresh-token",
      scope: asked.get("scope") ?? "",
      ...(idToken && { id_token: idToken }),
    };
    send(response, op.script.tokens?.(answer) ?? answer);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", op.issuer);
    const path = url.pathname;
    const takeover = op.script.takeover?.[path];
    const body = takeover ? new URLSearchParams() : await readForm(request);
    const { method = "GET", headers } = request;
    op.received.push({ method, path, query: url.searchParams, headers, body });
    if (takeover) return takeover(request, response);
    if (path === "/.well-known/openid-configuration") {
      const document: Json = {
        issuer: op.issuer,
        authorization_endpoint: `${op.issuer}/authorize`,
        token_endpoint: `${op.issuer}/token`,
        userinfo_endpoint: `${op.issuer}/userinfo`,
        jwks_uri: `${op.issuer}/jwks`,
        code_challenge_methods_supported: ["S256"],
        id_token_signing_alg_values_supported: ["RS256"],
      };
      return send(response, op.script.metadata?.(document) ?? document);
    }
    if (path === "/jwks") {
      const keys = op.keys.map(({ jwk }) => jwk);
      return send(response, { keys: op.script.jwks?.(keys) ?? keys });
    }
    if (path === "/token") return token(body, response);
    if (path === "/userinfo") {
      const claims: Json = { sub: "subject-1", name: "Ada Lovelace", email: "Ada@Example.com" };
      if (headers.authorization !== "Bearer access-token") {
        return send(response, { error: "invalid_token", sub: "subject-1" }, 401);
      }
      return send(response, op.script.userinfo?.(claims) ?? claims);
    }
    send(response, { error: "not_found" }, 404);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  const op: Op = {
    issuer: `http://127.0.0.1:${port}`,
    script: {},
    received: [],
    keys: [firstKey],
    asked: new URLSearchParams(),
    count: (path) => op.received.filter((one) => one.path === path).length,
    async authorize(location, error) {
      const url = new URL(location);
      const asked = url.searchParams;
      op.asked = asked;
      const params = new URLSearchParams();
      if (error) params.set("error", error);
      else {
        const code = `code-${++serial}`;
        codes.set(code, asked);
        params.set("code", code);
      }
      const state = asked.get("state");
      if (state) params.set("state", state);
      op.script.answer?.(params);
      const target = asked.get("redirect_uri") ?? "";
      if (asked.get("response_mode") === "form_post") {
        return { url: target, fields: Object.fromEntries(params) };
      }
      return { url: `${target}?${params}` };
    },
    async rotate(alg = "RS256") {
      op.keys = [await newKey(`key-${++serial}`, alg)];
    },
    reset() {
      op.script = {};
      op.received = [];
      op.keys = [firstKey];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return op;
}
