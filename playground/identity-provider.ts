import { generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { errors, Provider } from "oidc-provider";
import { choosePage, consentPage, goodbyePage, logoutPage, problemPage } from "./identity-pages.ts";
import { createIdentityStore } from "./identity-store.ts";
import type { Markup } from "./markup.ts";
import { people, type Person } from "./people.ts";
import type { PlaygroundClient } from "./playground-id.ts";

const STYLE = readFileSync(new URL("public/style.css", import.meta.url));
const LONGEST_FORM = 10_000;
const HOUR = 60 * 60;
/** Seconds: short enough to watch a token being refreshed. */
const ACCESS_TOKEN = 60;

const findPerson = (id: string | null): Person | undefined => people.find((one) => one.id === id);

function newSigningKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" };
}

async function readForm(req: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of req.setEncoding("utf8")) {
    text += chunk;
    if (text.length > LONGEST_FORM) throw new Error("The form is too long.");
  }
  return new URLSearchParams(text);
}

/**
 * Creates Playground ID: a real OpenID provider (oidc-provider) with its own pages. It asks for the user every time, so
 * that you can try every user. Access tokens last for a minute, and each refresh token can be used once. Signing out at
 * `/session/end` signs the user out of the application too.
 */
export function createIdentityProvider(
  { issuer, clientId, clientSecret }: PlaygroundClient,
  redirectUri: string,
): RequestListener {
  const application = new URL(redirectUri).origin;
  // Browsers also apply `form-action` to the redirects that follow a POST, and these lead back to the application.
  const policy =
    `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' ${application}; ` +
    "base-uri 'none'; frame-ancestors 'none'";
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policy,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };

  const provider = new Provider(issuer, {
    adapter: createIdentityStore(),
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        post_logout_redirect_uris: [`${application}/auth/signout/callback`],
        backchannel_logout_uri: `${application}/auth/backchannel-logout/playground`,
        backchannel_logout_session_required: true,
      },
    ],
    // The provider's default `fetch` refuses addresses of this machine, where the application runs.
    fetch: (url, { method, headers, body, signal }: RequestInit = {}) =>
      fetch(url, { method, headers, body, signal } as RequestInit),
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    jwks: { keys: [newSigningKey()] },
    cookies: {
      keys: [randomBytes(32).toString("base64url")],
      names: { session: "pid", interaction: "pid.interaction", resume: "pid.resume" },
    },
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
    // The ID token contains all claims, so no userinfo request is needed.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource(ctx, form) {
          ctx.set(headers);
          ctx.body = logoutPage(application, form).text;
        },
        postLogoutSuccessSource(ctx) {
          ctx.set(headers);
          ctx.body = goodbyePage(application).text;
        },
      },
    },
    ttl: {
      AccessToken: ACCESS_TOKEN,
      AuthorizationCode: 60,
      Grant: HOUR,
      IdToken: HOUR,
      Interaction: HOUR,
      RefreshToken: HOUR,
      Session: HOUR,
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount(_ctx, id) {
      const person = findPerson(id);
      if (!person) return undefined;
      const { name, email } = person;
      return {
        accountId: id,
        claims: () => ({ sub: id, name, email, email_verified: true }),
      };
    },
    renderError(ctx, { error, error_description: description }) {
      ctx.set(headers);
      ctx.body = problemPage(application, description ?? error).text;
    },
  });
  provider.on("server_error", (_ctx, error) => console.error("  Playground ID:", error));

  const show = (res: ServerResponse, page: Markup, status = 200) => {
    res.writeHead(status, headers).end(page.text);
  };

  // Two pages per interaction: the choice of a user, then the consent.
  const interact = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { uid, params } = await provider.interactionDetails(req, res);
    // The choice is a GET, so that the back button leads to a page and not to a form resubmission.
    const { searchParams } = new URL(req.url ?? "/", issuer);
    const form = req.method === "POST" ? await readForm(req) : new URLSearchParams();
    const person = findPerson(form.get("person") ?? searchParams.get("person"));
    if (form.get("decision") === "deny") {
      const refusal = { error: "access_denied", error_description: "The user denied access." };
      return provider.interactionFinished(req, res, refusal);
    }
    if (!person) return show(res, choosePage(uid, application));
    if (form.get("decision") !== "allow") return show(res, consentPage(uid, application, person));
    const grant = new provider.Grant({ accountId: person.id, clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    const grantId = await grant.save();
    const result = { login: { accountId: person.id, remember: false }, consent: { grantId } };
    return provider.interactionFinished(req, res, result);
  };

  const handle = provider.callback();
  return (req, res) => {
    const { pathname } = new URL(req.url ?? "/", issuer);
    if (pathname === "/style.css") {
      res.writeHead(200, { "content-type": "text/css; charset=utf-8" }).end(STYLE);
    } else if (pathname === "/favicon.ico") {
      res.writeHead(204).end();
    } else if (pathname.startsWith("/interaction/")) {
      interact(req, res).catch((error: unknown) => {
        const isOver = error instanceof errors.SessionNotFound;
        if (!isOver) console.error("  Playground ID:", error);
        show(res, problemPage(application, "This sign-in is over, or was never begun."), 400);
      });
    } else {
      // Without the provider's session cookie, a sign-in remembers no user. A logout ends the provider's session.
      const { cookie = "" } = req.headers;
      if (!pathname.startsWith("/session/end"))
        req.headers.cookie = cookie.replace(/\bpid(\.sig)?=[^;]*;?/g, "");
      void handle(req, res);
    }
  };
}
