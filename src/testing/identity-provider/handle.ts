import type { Grant } from "./grants.ts";
import { buildMetadata } from "./metadata.ts";
import { exchange, Refusal, type Server } from "./token.ts";
import type { AuthorizationResponse, EndpointName, Json, ReceivedRequest } from "./types.ts";

type Handler = (server: Server, request: ReceivedRequest) => Promise<Response>;

function send(body: Json | Response, init?: ResponseInit): Response {
  return body instanceof Response ? body : Response.json(body, init);
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

// Redirects a real browser, or makes it submit the form.
function toPage({ url, fields }: AuthorizationResponse): Response {
  if (!fields) return new Response(null, { status: 302, headers: { location: url } });
  const inputs = Object.entries(fields).map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const form = `<form method="post" action="${escapeHtml(url)}">${inputs.join("")}</form>`;
  return new Response(`${form}<script>document.forms[0].submit()</script>`, {
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}

// Reads the token from the header, under any scheme, or from a parameter (RFC 6750 section 2).
function getAccessToken({ url, headers, body }: ReceivedRequest): string {
  const [, sent] = /^\S+ (.+)$/.exec(headers.get("authorization") ?? "") ?? [];
  return sent ?? body.get("access_token") ?? url.searchParams.get("access_token") ?? "";
}

function getGrant({ grants }: Server, request: ReceivedRequest): Grant {
  const grant = grants.getByAccessToken(getAccessToken(request));
  if (grant) return grant;
  throw new Refusal("invalid_token", "The access token is unknown or expired.", 401);
}

function sendRefusal({ error, message, status }: Refusal): Response {
  const scheme = error === "invalid_token" ? `Bearer error="${error}"` : "Basic";
  const headers: HeadersInit = status === 401 ? { "www-authenticate": scheme } : {};
  return Response.json({ error, error_description: message }, { status, headers });
}

const HANDLERS: Readonly<Record<EndpointName, Handler>> = {
  async discovery({ idp, signer }) {
    const document = buildMetadata(idp.issuer, idp.endpoints, signer.alg);
    return send((await idp.tamper.discovery?.(document)) ?? document);
  },
  async jwks({ idp, signer }) {
    const keySet = { keys: [await signer.publicKey()] };
    return send((await idp.tamper.jwks?.(keySet)) ?? keySet);
  },
  authorization: async ({ idp }, { url }) => toPage(await idp.authorize(url)),
  async token(server, request) {
    const { idp, grants } = server;
    const { response, grant } = await exchange(server, request);
    const body = (await idp.tamper.token?.(response)) ?? response;
    // If a response is not read here, the issued tokens are accepted.
    grants.accept(body instanceof Response ? response : body, grant);
    return send(body, { headers: { "cache-control": "no-store" } });
  },
  async userinfo(server, request) {
    const claims = { ...getGrant(server, request).user };
    return send((await server.idp.tamper.userinfo?.(claims)) ?? claims);
  },
};

async function getResource(
  server: Server,
  request: ReceivedRequest,
  url: string,
): Promise<Response> {
  const { idp, resources } = server;
  if (!Object.hasOwn(resources, url)) {
    throw new TypeError(
      `The identity provider ${idp.issuer} has nothing at ${url}. Add it to \`endpoints\` or \`resources\`.`,
    );
  }
  getGrant(server, request);
  return Response.json(resources[url]);
}

/**
 * Returns the response to a request.
 * @throws TypeError, as fetch does, for a URL that the provider does not have.
 */
export async function handle(server: Server, request: ReceivedRequest): Promise<Response> {
  const { endpoints } = server.idp;
  const url = request.url.origin + request.url.pathname;
  const name = (Object.keys(HANDLERS) as EndpointName[]).find((one) => endpoints[one] === url);
  try {
    return await (name ? HANDLERS[name](server, request) : getResource(server, request, url));
  } catch (error) {
    if (error instanceof Refusal) return sendRefusal(error);
    throw error;
  }
}
