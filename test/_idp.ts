import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import Provider, { type ClientMetadata, type Configuration } from "oidc-provider";

/** A real OpenID Provider on this machine, whose user always consents: `ada`, or the user in `login_hint`. */
export interface Idp {
  issuer: string;
  /** Sends a request to the provider; with an `origin`, as its proxy does. */
  send(url: string, init?: RequestInit): Promise<Response>;
  provider: Provider;
  /** Follows an authorization URL back to the application with cookies, as a browser does. */
  visit(location: string, how?: "consent" | "refuse"): Promise<IdpCallback>;
  close(): Promise<void>;
}

/** The authorization response that the browser delivers to the application. */
export interface IdpCallback {
  url: string;
  /** The form that the browser posts in the mode `form_post`. */
  fields?: Record<string, string>;
}

/** Creates a key pair in the form that the provider and its client need. */
export async function newSigningKey(kid: string, alg = "RS256"): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: "sig" };
}

function unescape(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&#x3D;", "=").replaceAll("&amp;", "&");
}

function parseFields(page: string): Record<string, string> {
  const inputs = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries(
    [...inputs].map(([, name = "", value = ""]) => [name, unescape(value)]),
  );
}

/**
 * Starts the provider with these clients. With a fixed port, it can be restarted with other keys. With an `origin`, it
 * is behind a proxy of that origin, and `send` is the proxy.
 */
export async function startIdp(
  clients: ClientMetadata[],
  more: Configuration = {},
  port = 0,
  origin?: string,
): Promise<Idp> {
  let how: "consent" | "refuse" = "consent";
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  const local = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = origin ?? local;
  const send = (url: string, init: RequestInit = {}) => {
    const { host, pathname, search } = new URL(url);
    const headers = new Headers(init.headers);
    if (origin) {
      headers.set("x-forwarded-host", host);
      headers.set("x-forwarded-proto", "https");
    }
    return fetch(`${local}${pathname}${search}`, { ...init, headers });
  };

  const provider = new Provider(issuer, {
    clients,
    cookies: { keys: ["a-cookie-key"] },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: false,
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 60,
      IdToken: 60,
      Interaction: 60,
      Session: 60,
    },
    enabledJWA: { clientAuthSigningAlgValues: ["HS256", "RS256", "ES256"] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, name: "Ada Lovelace", email: "ada@example.com", email_verified: true }),
    }),
    async loadExistingGrant(ctx) {
      const { client, session, params } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({
        ...(client && { clientId: client.clientId }),
        ...(session?.accountId && { accountId: session.accountId }),
      });
      grant.addOIDCScope(params?.scope as string);
      await grant.save();
      return grant;
    },
    ...more,
  });
  provider.proxy = origin !== undefined;
  const listener = provider.callback();
  const interact = async (...[request, response]: Parameters<typeof listener>) => {
    const { login_hint: hint } = (await provider.interactionDetails(request, response)).params;
    const result =
      how === "refuse"
        ? { error: "access_denied", error_description: "the visitor said no" }
        : { login: { accountId: typeof hint === "string" ? hint : "ada" } };
    await provider.interactionFinished(request, response, result, {
      mergeWithLastSubmission: false,
    });
  };
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return void listener(request, response);
    interact(request, response).catch(() => response.destroy());
  });

  return {
    issuer,
    send,
    provider,
    async visit(location, visitor = "consent") {
      how = visitor;
      const jar = new Map<string, string>();
      let url = location;
      for (let step = 0; step < 8; step++) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
        const response = await send(url, { headers: { cookie }, redirect: "manual" });
        for (const set of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          jar.set(name, value);
        }
        const next = response.headers.get("location");
        if (!next) {
          const page = await response.text();
          const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1];
          if (!action) throw new Error(`The provider returned ${response.status}: ${page}`);
          return { url: unescape(action), fields: parseFields(page) };
        }
        url = new URL(next, url).href;
        if (!url.startsWith(issuer)) return { url };
      }
      throw new Error("The provider never redirected to the application.");
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
