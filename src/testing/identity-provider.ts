import { parseJson } from "../http/json.ts";
import { override } from "../kernel/define.ts";
import { isObject } from "../platform/is-object.ts";
import { customFetch } from "../platform/symbols.ts";
import type { Profile } from "../types/models.ts";
import { authorize } from "./identity-provider/authorize.ts";
import { createGrants } from "./identity-provider/grants.ts";
import { handle } from "./identity-provider/handle.ts";
import { listEndpoints } from "./identity-provider/metadata.ts";
import { createSigner } from "./identity-provider/signer.ts";
import type {
  IdentityProvider,
  IdentityProviderOptions,
  ReceivedRequest,
} from "./identity-provider/types.ts";
import type { ProviderOf } from "./provider-of.ts";

const ADA: Profile = {
  sub: "1",
  name: "Ada Lovelace",
  email: "ada@example.com",
  email_verified: true,
};

// Some services receive a JSON object instead of a form.
async function readFields(request: Request): Promise<URLSearchParams> {
  const text = await request.text();
  const isJson = request.headers.get("content-type")?.includes("json") === true;
  const object = isJson ? parseJson(text) : undefined;
  if (!isObject(object)) return new URLSearchParams(text);
  const fields = Object.entries(object).filter(([, value]) => typeof value === "string");
  return new URLSearchParams(fields as [string, string][]);
}

async function receive(input: RequestInfo | URL, init?: RequestInit): Promise<ReceivedRequest> {
  const request = new Request(input, init);
  const { method, headers } = request;
  return { method, url: new URL(request.url), headers, body: await readFields(request) };
}

// The endpoints of plain OAuth 2 are configured; those of OpenID Connect are discovered.
function buildProvider(idp: IdentityProvider, given: { type?: string }): object {
  const { issuer, client, endpoints } = idp;
  const { type = "oidc" } = given;
  const { authorization, token, userinfo } = endpoints;
  return override(
    {
      id: "idp",
      name: "Identity provider",
      type,
      issuer,
      ...client,
      ...(type === "oauth" && { authorization, token, userinfo }),
    },
    given,
  );
}

/**
 * Creates an OpenID Connect and OAuth 2 identity provider in this process, for tests. Its `user` consents to every
 * authorization request, and its ID tokens are signed. It needs no server and no network.
 * @example
 * const { browser, idp } = createTestAuth(createAuth);
 * await browser.signInAs({ name: "Ada", email: "ada@example.com", email_verified: true });
 *
 * idp.refuse = "access_denied";
 * await expect(browser.signInAs()).rejects.toThrow("OAuthCallbackError");
 * idp.refuse = undefined;
 * idp.tamper = { idToken: (claims) => ({ ...claims, aud: "another-client" }) };
 * await expect(browser.signInAs()).rejects.toThrow("Configuration");
 */
export function createIdentityProvider(options: IdentityProviderOptions = {}): IdentityProvider {
  const {
    issuer = "https://idp.example",
    resources = {},
    alg = "ES256",
    clientId = "client",
    clientIdParam = "client_id",
    clientSecret = "the client secret of a test",
    user = ADA,
  } = options;
  const signer = createSigner(alg);
  const grants = createGrants();

  const idp: IdentityProvider = {
    issuer,
    endpoints: listEndpoints(issuer, options.endpoints),
    client: { clientId, clientSecret, [customFetch]: (input, init) => idp.fetch(input, init) },
    user,
    refuse: undefined,
    tamper: {},
    requests: [],
    async fetch(input, init) {
      const request = await receive(input, init);
      idp.requests.push(request);
      return handle({ idp, grants, signer, resources }, request);
    },
    provider: (given = {}) => buildProvider(idp, given) as ProviderOf<"oidc"> & ProviderOf<"oauth">,
    authorize: async (url, consenting = idp.user) =>
      authorize({ idp, grants, clientIdParam }, url, consenting),
    sign: signer.sign,
  };
  return idp;
}
