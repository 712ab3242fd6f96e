import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import {
  type AuthorizationResponse,
  createIdentityProvider,
  type IdentityProvider,
} from "../src/testing/testing.ts";

type Json = Record<string, unknown>;

/** A signing key of the provider. */
export interface OpKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

/** Overrides that make the provider misbehave. */
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
export type Callback = AuthorizationResponse;

/** `createIdentityProvider` on a port of this machine. Tests can make it misbehave. */
export interface Op {
  issuer: string;
  script: Script;
  received: Received[];
  keys: OpKey[];
  /** Parameters of the last authorization request. */
  asked: URLSearchParams;
  count(path: string): number;
  /** Responds to an authorization request as if the user had consented, or with an error. */
  authorize(location: string, error?: string): Promise<Callback>;
  /** Replaces all signing keys with a new one. */
  rotate(alg?: string): Promise<void>;
  reset(): void;
  close(): Promise<void>;
}

export const CLIENT_ID = "client";
export const CLIENT_SECRET = "a-client-secret-of-at-least-32-characters";

const USER = {
  sub: "subject-1",
  name: "Ada Lovelace",
  email: "Ada@Example.com",
  email_verified: true,
};

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

/** Creates an identity provider that behaves correctly, except for what the script changes. */
function createScripted(op: Pick<Op, "issuer" | "script" | "keys">): IdentityProvider {
  const idp = createIdentityProvider({
    issuer: op.issuer,
    clientId: CLIENT_ID,
    // Any client authentication is accepted, because tests read what was sent.
    clientSecret: "",
    user: USER,
  });

  async function signIdToken(claims: Json): Promise<string> {
    const key = op.keys[0] as OpKey;
    const iat = Number(claims.iat) + (op.script.clock ?? 0);
    const { auth_time: _, ...rest } = claims;
    const given: Json = { ...rest, iat, exp: iat + 300 };
    const final = op.script.claims?.(given) ?? given;
    if (op.script.idToken) return (await op.script.idToken(final, key)) ?? "";
    const header = { alg: key.alg, kid: key.kid };
    return new SignJWT(final)
      .setProtectedHeader((op.script.header?.(header) ?? header) as { alg: string })
      .sign(key.privateKey);
  }

  idp.tamper = {
    discovery() {
      const document: Json = {
        issuer: op.issuer,
        authorization_endpoint: idp.endpoints.authorization,
        token_endpoint: idp.endpoints.token,
        userinfo_endpoint: idp.endpoints.userinfo,
        jwks_uri: idp.endpoints.jwks,
        code_challenge_methods_supported: ["S256"],
        id_token_signing_alg_values_supported: ["RS256"],
      };
      return op.script.metadata?.(document) ?? document;
    },
    jwks() {
      const keys = op.keys.map(({ jwk }) => jwk);
      return { keys: op.script.jwks?.(keys) ?? keys };
    },
    authorization(params) {
      params.delete("iss");
      op.script.answer?.(params);
    },
    idToken: signIdToken,
    token({ id_token: idToken, ...body }) {
      const answer: Json = {
        scope: "",
        ...body,
        access_token: "access-token",
        refresh_token: "refresh-token",
        ...(idToken !== "" && { id_token: idToken }),
      };
      return op.script.tokens?.(answer) ?? answer;
    },
    userinfo({ email_verified: _, ...claims }) {
      return (op.script.userinfo?.(claims) ?? claims) as Json;
    },
  };
  return idp;
}

/** Starts a provider on this machine. */
export async function startOp(): Promise<Op> {
  let serial = 0;
  const firstKey = await newKey("key-0");

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", op.issuer);
    const path = url.pathname;
    const takeover = op.script.takeover?.[path];
    const body = takeover ? new URLSearchParams() : await readForm(request);
    const { method = "GET", headers } = request;
    op.received.push({ method, path, query: url.searchParams, headers, body });
    if (takeover) return takeover(request, response);
    const answered = await idp
      .fetch(url, {
        method,
        headers: headers as Record<string, string>,
        ...(method === "POST" && { body }),
      })
      .catch(() => Response.json({ error: "not_found" }, { status: 404 }));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    response.end(await answered.text());
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
      op.asked = new URLSearchParams(url.search);
      // Every client is registered.
      url.searchParams.set("client_id", CLIENT_ID);
      idp.refuse = error;
      return idp.authorize(url);
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
  const idp = createScripted(op);
  return op;
}
