import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blueskyPlugin } from "../../plugins/providers/bluesky.ts";
import { customFetch } from "../../src/kernel.ts";
import { type Browser, diagnose } from "../../src/testing.ts";
import { createTestAuth, locationOf, queryOf, type TestAuth } from "../_app.ts";
import { newSigningKey } from "../_idp.ts";
import {
  ADA,
  APP,
  type AtprotoNetwork,
  type Change,
  changeJson,
  createAtprotoApp,
  DIRECTORY,
  documentOf,
  ENTRYWAY,
  PDS,
  startAtprotoNetwork,
} from "./_atproto.ts";

let network: AtprotoNetwork;

beforeAll(async () => {
  network = await startAtprotoNetwork();
});
afterAll(() => network.close());

/** Starts a sign-in as a visitor who types `handle`, and returns the URL that the authorization server redirects to. */
async function visit(browser: Browser, handle: string): Promise<string | Response> {
  const started = await browser.signIn("bluesky", { handle });
  const location = locationOf(started);
  if (!location.startsWith(ENTRYWAY)) return started;
  return (await network.idp.visit(location)).url;
}

/** Signs in as a visitor who types `handle`, and returns the response of the callback. */
async function signIn(browser: Browser, handle: string = ADA.handle): Promise<Response> {
  const url = await visit(browser, handle);
  return typeof url === "string" ? browser.get(url) : url;
}

/** Asserts that a sign-in was refused with an error, for this reason. */
async function expectRefused(
  { browser, log }: TestAuth,
  response: Response,
  { error = "AtprotoCallbackError", reason }: { error?: string; reason?: RegExp } = {},
): Promise<void> {
  expect(queryOf(response).error).toBe(error);
  expect(await browser.session()).toBeNull();
  const [logged] = log.expectErrors(error);
  expect(logged?.message).toContain('"bluesky"');
  if (reason) expect(logged?.message).toMatch(reason);
}

/** Asserts that a visitor's input leads nowhere, and that this is not logged as an error of the application. */
async function expectUnknown({ browser }: TestAuth, response: Response): Promise<void> {
  expect(queryOf(response).error).toBe("AtprotoUnknownAccount");
  expect(await browser.session()).toBeNull();
}

const KEY_FIELDS = ["kty", "crv", "x", "y", "kid", "alg", "use"];

describe("sign-in by the AT Protocol", () => {
  it("a visitor who types a handle signs in at the authorization server of the account", async () => {
    const { browser } = createAtprotoApp(network);
    const response = await signIn(browser);
    expect(queryOf(response)).toEqual({});
    expect(await browser.session()).toMatchObject({
      user: { name: "Ada Lovelace", image: "https://cdn.bsky.app/ada.jpg" },
    });
    expect(network.requests).toEqual([
      "GET https://cloudflare-dns.com/dns-query",
      `GET https://${ADA.handle}/.well-known/atproto-did`,
      `GET ${DIRECTORY}/${ADA.did}`,
      `GET ${PDS}/.well-known/oauth-protected-resource`,
      `GET ${ENTRYWAY}/.well-known/oauth-authorization-server`,
      // Each first proof lacks the nonce of the server.
      `POST ${ENTRYWAY}/request`,
      `POST ${ENTRYWAY}/request`,
      `GET ${ENTRYWAY}/.well-known/oauth-authorization-server`,
      `POST ${ENTRYWAY}/token`,
      `POST ${ENTRYWAY}/token`,
      "GET https://public.api.bsky.app/xrpc/app.bsky.actor.getProfile",
    ]);
  });

  it("four sign-ins in progress in one browser all complete, and a fifth replaces the oldest", async () => {
    const { browser, log } = createAtprotoApp(network);
    const urls: string[] = [];
    for (let at = 0; at < 5; at++) urls.push((await visit(browser, ADA.handle)) as string);
    // Servers refuse requests with more than 16 kB of headers, and there may be a session.
    const sent = [...browser.cookies].map(([name, value]) => `${name}=${value}; `).join("");
    expect(sent.length).toBeLessThan(8192);
    const [oldest = "", ...others] = urls;
    expect(queryOf(await browser.get(oldest)).error).toBe("InvalidCheck");
    for (const url of others) expect(queryOf(await browser.get(url))).toEqual({});
    expect([...browser.cookies.keys()].join()).not.toContain("atproto-");
    log.expectErrors("InvalidCheck");
  });

  it("the pushed request has everything that the protocol's profile requires, and the browser sees none of it", async () => {
    const { browser } = createAtprotoApp(network);
    const location = new URL(locationOf(await browser.signIn("bluesky", { handle: ADA.handle })));
    expect([...location.searchParams.keys()]).toEqual(["client_id", "request_uri"]);
    const pushed = network.sent.find(({ url }) => url.pathname === "/request");
    expect(Object.fromEntries(pushed?.init.body as URLSearchParams)).toEqual({
      client_id: `${APP}/auth/client-metadata/bluesky`,
      redirect_uri: `${APP}/auth/callback/bluesky`,
      response_type: "code",
      scope: "atproto",
      state: expect.stringMatching(/^[\w-]{22}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      login_hint: ADA.handle,
    });
  });

  it.each([
    ["with an @", `@${ADA.handle}`],
    ["as it is copied, with characters that are not seen", `\u202a${ADA.handle}\u202c `],
    ["in capital letters", "Ada.BSKY.Social"],
    ["as a URI", `at://${ADA.handle}`],
    ["as a DID", ADA.did],
    ["as the server of the account", PDS],
    ["as the authorization server", `${ENTRYWAY}/`],
  ])("the account is typed %s", async (_, typed) => {
    const { browser } = createAtprotoApp(network);
    expect(queryOf(await signIn(browser, typed))).toEqual({});
    expect(await browser.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
  });

  it("an empty handle leads to the server of the provider", async () => {
    const { browser } = createAtprotoApp(network, { server: ENTRYWAY });
    expect(queryOf(await signIn(browser, ""))).toEqual({});
    expect(await browser.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
  });

  it("a handle is found by its DNS record, which takes precedence over its file", async () => {
    const { browser } = createAtprotoApp(network);
    network.changes["https://cloudflare-dns.com/"] = (_, { url }) => {
      expect(url.searchParams.get("name")).toBe(`_atproto.${ADA.handle}`);
      expect(url.searchParams.get("type")).toBe("TXT");
      const records = [
        { type: 5, data: "did=of-another-type" },
        { type: 16, data: '"v=spf1 -all"' },
        { type: 16, data: `"did=${ADA.did.slice(0, 20)}" "${ADA.did.slice(20)}"` },
      ];
      return Response.json({ Status: 0, Answer: records });
    };
    expect(queryOf(await signIn(browser))).toEqual({});
    expect(network.requests.join()).not.toContain("atproto-did");
  });

  it("without a resolver a handle is found only by its file", async () => {
    const { browser } = createAtprotoApp(network, { resolver: false });
    expect(queryOf(await signIn(browser))).toEqual({});
    expect(network.requests[0]).toBe(`GET https://${ADA.handle}/.well-known/atproto-did`);
  });

  it("an account of did:web is found at its host", async () => {
    const { browser } = createAtprotoApp(network);
    const account = { ...ADA, did: "did:web:ada.keyhook.dev" };
    network.accounts = [account];
    network.sub = account.did;
    network.changes["https://ada.keyhook.dev/.well-known/did.json"] = () =>
      Response.json(documentOf(account));
    expect(queryOf(await signIn(browser))).toEqual({});
    expect(await browser.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
  });

  it("the account is the DID: with another handle the user stays the same", async () => {
    const { browser, openBrowser, getUserId } = createAtprotoApp(network);
    await signIn(browser);
    network.accounts = [{ ...ADA, handle: "countess.keyhook.dev" }];
    const other = openBrowser();
    await signIn(other, "countess.keyhook.dev");
    expect(await getUserId(other)).toBe(await getUserId(browser));
  });

  it.each([
    ["is not found", () => Response.json({ error: "InvalidRequest" }, { status: 400 })],
    ["is for another account", () => Response.json({ did: "did:plc:eve", displayName: "Eve" })],
    ["cannot be reached", () => Promise.reject(new TypeError("fetch failed"))],
  ] satisfies [string, Change][])(
    "the handle is the name if the public profile %s",
    async (_, change) => {
      const { browser } = createAtprotoApp(network);
      network.changes["https://public.api.bsky.app/"] = change;
      await signIn(browser);
      expect(await browser.session()).toMatchObject({ user: { name: ADA.handle, image: null } });
    },
  );

  it("a handle that does not lead back to the DID is not used", async () => {
    const { browser } = createAtprotoApp(network, { userinfo: { url: "https://x.dev/{did}" } });
    network.changes[`https://${ADA.handle}/`] = () =>
      new Response("did:plc:eve234567eve234567eve234");
    expect(queryOf(await signIn(browser, ADA.did))).toEqual({});
    expect(await browser.session()).toMatchObject({ user: { name: ADA.did } });
  });

  it("a visitor who refuses at the server gets an explanation", async () => {
    const { browser, log } = createAtprotoApp(network);
    const started = await browser.signIn("bluesky", { handle: ADA.handle });
    const { url } = await network.idp.visit(locationOf(started), "refuse");
    expect(queryOf(await browser.get(url)).error).toBe("AccessDenied");
    log.expectErrors("AccessDenied");
  });

  it("the sign-in page asks for the handle", async () => {
    const { browser } = createAtprotoApp(network);
    const page = await (await browser.get("/auth/signin")).text();
    expect(page).toMatch(/<input[^>]*name="handle"[^>]*autocomplete="username"/);
    expect(page).toContain("Sign in with Bluesky");
    expect(page).not.toMatch(/<input[^>]*name="handle"[^>]* required/);
  });
});

describe("the address of an account of the AT Protocol", () => {
  const SCOPE = { scope: "atproto transition:email" };
  const getUser = async ({ adapter, getUserId }: TestAuth) =>
    adapter.getUser?.((await getUserId()) ?? "");

  it("the address is not requested by default", async () => {
    const app = createAtprotoApp(network);
    await signIn(app.browser);
    expect(await getUser(app)).toMatchObject({ email: null, emailVerified: null });
    expect(network.requests.join()).not.toContain("getSession");
  });

  it("the address is verified if a Bluesky server reports it as verified", async () => {
    const app = createAtprotoApp(network, SCOPE);
    expect(queryOf(await signIn(app.browser))).toEqual({});
    const account = await app.adapter.getAccount?.(ADA.did, "bluesky");
    expect(await getUser(app)).toMatchObject({ email: ADA.email });
    expect(account).toMatchObject({ verifiedEmail: ADA.email });
  });

  it.each([
    ["a server of Bluesky says that it is not", {}, false],
    ["the server is anyone's", { trustedServers: [] }, true],
    [
      "the server has a name that only resembles one",
      { trustedServers: ["*.bsky.network.dev"] },
      true,
    ],
    ["only the authorization server is trusted", { trustedServers: ["entryway.social"] }, true],
  ])("the address is not verified if %s", async (_, options, confirmed) => {
    const app = createAtprotoApp(network, { ...SCOPE, ...options });
    network.emailConfirmed = confirmed;
    expect(queryOf(await signIn(app.browser))).toEqual({});
    expect(await app.adapter.getAccount?.(ADA.did, "bluesky")).toMatchObject({
      verifiedEmail: false,
    });
  });

  it.each([
    ["is for another account", changeJson((body) => ({ ...body, did: "did:plc:eve" })), /another/],
    ["is an error", () => Response.json({}, { status: 403 }), /status 403/],
  ] satisfies [string, Change, RegExp][])(
    "a sign-in is refused if the session of the server %s",
    async (_, change, reason) => {
      const app = createAtprotoApp(network, SCOPE);
      network.changes[`${PDS}/xrpc/`] = async (respond, request) => {
        const response = await respond();
        const changed = response.ok ? await change(async () => response, request) : response;
        changed.headers.set("dpop-nonce", "nonce-of-the-pds");
        return changed;
      };
      await expectRefused(app, await signIn(app.browser), { reason });
    },
  );
});

describe("the client of the AT Protocol", () => {
  it("is identified by the document at its id", async () => {
    const { browser } = createAtprotoApp(network, { client: { client_name: "Example" } });
    const response = await browser.get("/auth/client-metadata/bluesky");
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.json()).toEqual({
      client_id: `${APP}/auth/client-metadata/bluesky`,
      client_name: "Example",
      client_uri: APP,
      application_type: "web",
      grant_types: ["authorization_code"],
      response_types: ["code"],
      scope: "atproto",
      redirect_uris: [`${APP}/auth/callback/bluesky`],
      dpop_bound_access_tokens: true,
      token_endpoint_auth_method: "none",
    });
  });

  it("signs its requests with its key, and publishes only the public part", async () => {
    const { kid: _, ...key } = await newSigningKey("x", "ES256");
    const next = await newSigningKey("next", "ES256");
    const { browser } = createAtprotoApp(network, {
      id: "bluesky-signed",
      env: { AUTH_BLUESKY_SIGNED_PRIVATE_KEY: JSON.stringify([key, next]) },
    });
    const response = await browser.get("/auth/client-metadata/bluesky-signed");
    const { jwks, ...metadata } = (await response.json()) as { jwks: { keys: object[] } };
    expect(metadata).toMatchObject({
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
    });
    expect(jwks.keys.map((one) => Object.keys(one))).toEqual([KEY_FIELDS, KEY_FIELDS]);
    expect(jwks.keys).toMatchObject([
      { kid: expect.stringMatching(/^[\w-]{43}$/) },
      { kid: "next" },
    ]);

    const started = await browser.signIn("bluesky-signed", { handle: ADA.handle });
    const { url } = await network.idp.visit(locationOf(started));
    expect(queryOf(await browser.get(url))).toEqual({});
    expect(await browser.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
    const [token] = network.sent.filter(({ url: { pathname } }) => pathname === "/token");
    expect([...((token?.init.body ?? []) as URLSearchParams).keys()]).toContain("client_assertion");
  });

  it("is a public client on 127.0.0.1 during development", async () => {
    const { browser } = createAtprotoApp(network, { origin: "http://127.0.0.1:3000" });
    expect(queryOf(await signIn(browser))).toEqual({});
    expect(await browser.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
  });

  it.each([
    ["http://localhost:3000", /open the application at http:\/\/127\.0\.0\.1:3000/],
    ["https://app.keyhook.dev:8443", /set AUTH_URL to the https origin of a public host/],
    ["https://192.0.2.1", /public host/],
    ["https://app.internal", /public host/],
  ])("cannot be identified at %s, and the log says how to fix it", async (origin, message) => {
    const { browser, log } = createAtprotoApp(network, { origin });
    expect(queryOf(await browser.signIn("bluesky", { handle: ADA.handle })).error).toBe(
      "Configuration",
    );
    expect(log.expectErrors("InvalidConfig")[0]?.message).toMatch(message);
    expect(network.requests).toEqual([]);
  });

  it("has no document for a provider of another type", async () => {
    const { browser } = createTestAuth({ use: [blueskyPlugin()] });
    expect((await browser.get("/auth/client-metadata/credentials")).status).toBe(404);
  });
});

/** Each step with a broken response, by the start of the URL. */
const BROKEN: [what: string, url: string, change: Change, reason: RegExp][] = [
  [
    "a DID document of another DID",
    DIRECTORY,
    changeJson((body) => ({ ...body, id: "did:plc:eve" })),
    /another DID/,
  ],
  [
    "a DID document without a server",
    DIRECTORY,
    changeJson((body) => ({ ...body, service: [] })),
    /no personal data server/,
  ],
  [
    "a DID document whose server is of another type",
    DIRECTORY,
    changeJson((body) => ({
      ...body,
      service: [{ id: "#atproto_pds", type: "AtprotoLabeler", serviceEndpoint: PDS }],
    })),
    /no personal data server/,
  ],
  ["a DID document that is a list", DIRECTORY, changeJson(() => []), /not a JSON object/],
  [
    "a DID document that is a page",
    DIRECTORY,
    () => new Response("<p>", { headers: { "content-type": "text/html" } }),
    /web page/,
  ],
  [
    "a DID document with an error",
    DIRECTORY,
    () => Response.json({}, { status: 403 }),
    /status 403/,
  ],
  [
    "a resource of another server",
    `${PDS}/.well-known/`,
    changeJson((body) => ({ ...body, resource: "https://other.social" })),
    /another one/,
  ],
  [
    "two authorization servers",
    `${PDS}/.well-known/`,
    changeJson((body) => ({ ...body, authorization_servers: [ENTRYWAY, ENTRYWAY] })),
    /not name one/,
  ],
  [
    "an authorization server with a path",
    `${PDS}/.well-known/`,
    changeJson((body) => ({ ...body, authorization_servers: [`${ENTRYWAY}/a`] })),
    /not name one/,
  ],
  [
    "a personal data server that is not one",
    `${PDS}/.well-known/`,
    () => new Response("", { status: 404 }),
    /not a personal data server/,
  ],
  [
    "metadata of another issuer",
    `${ENTRYWAY}/.well-known/`,
    changeJson((body) => ({ ...body, issuer: "https://other.social" })),
    /another issuer/,
  ],
  [
    "metadata with a slash after the issuer",
    `${ENTRYWAY}/.well-known/`,
    changeJson((body) => ({ ...body, issuer: `${ENTRYWAY}/` })),
    /another issuer/,
  ],
  [
    "no metadata",
    `${ENTRYWAY}/.well-known/`,
    () => new Response("", { status: 404 }),
    /not an authorization server/,
  ],
  [
    "a request that is refused",
    `${ENTRYWAY}/request`,
    () => Response.json({ error: "invalid_request" }, { status: 400 }),
    /error/,
  ],
  [
    "no request URI",
    `${ENTRYWAY}/request`,
    () => Response.json({ expires_in: 60 }, { status: 201, headers: { "dpop-nonce": "n" } }),
    /request_uri/,
  ],
  [
    "a request without a nonce",
    `${ENTRYWAY}/request`,
    () => Response.json({ request_uri: "urn:a", expires_in: 60 }, { status: 201 }),
    /DPoP-Nonce/,
  ],
];

/** Members of the metadata with a value that the profile does not allow. */
const MEMBERS: [name: string, value: unknown][] = [
  ["response_types_supported", ["token"]],
  ["grant_types_supported", ["authorization_code"]],
  ["code_challenge_methods_supported", ["plain"]],
  ["token_endpoint_auth_methods_supported", ["none"]],
  ["token_endpoint_auth_signing_alg_values_supported", ["ES256", "none"]],
  ["dpop_signing_alg_values_supported", "ES256"],
  ["scopes_supported", ["openid"]],
  ["authorization_response_iss_parameter_supported", undefined],
  ["require_pushed_authorization_requests", "true"],
  ["client_id_metadata_document_supported", false],
  ["require_request_uri_registration", false],
  ["authorization_endpoint", "javascript:alert(1)"],
  ["token_endpoint", "https://169.254.169.254/token"],
  ["pushed_authorization_request_endpoint", undefined],
];

const TOKENS: [what: string, change: Change, reason: RegExp][] = [
  [
    "that is not bound to its key",
    changeJson((body) => ({ ...body, token_type: "Bearer" })),
    /not bound/,
  ],
  ["without the scope", changeJson((body) => ({ ...body, scope: "openid" })), /scope `atproto`/],
  ["without a scope", changeJson(({ scope: _, ...body }) => body), /scope `atproto`/],
  ["without an account", changeJson(({ sub: _, ...body }) => body), /names no account/],
  [
    "of an account that is not a DID",
    changeJson((body) => ({ ...body, sub: "ada" })),
    /is not a DID/,
  ],
  ["that is an error", () => Response.json({ error: "invalid_grant" }, { status: 400 }), /error/],
];

describe("a response of the network is refused", () => {
  it.each(BROKEN)("from the network with %s", async (_, url, change, reason) => {
    const app = createAtprotoApp(network);
    network.changes[url] = change;
    await expectRefused(app, await signIn(app.browser), { reason });
  });

  it.each(MEMBERS)("with metadata whose %s is %j", async (name, value) => {
    const app = createAtprotoApp(network);
    network.changes[`${ENTRYWAY}/.well-known/`] = changeJson((body) => ({
      ...body,
      [name]: value,
    }));
    await expectRefused(app, await signIn(app.browser), { reason: new RegExp(`\`${name}\``) });
  });

  it.each(TOKENS)("with a token %s", async (_, change, reason) => {
    const app = createAtprotoApp(network);
    network.changes[`${ENTRYWAY}/token`] = async (respond, request) => {
      const response = await respond();
      if (response.status !== 200) return response;
      const changed = await change(() => Promise.resolve(response), request);
      changed.headers.set("dpop-nonce", "n");
      return changed;
    };
    await expectRefused(app, await signIn(app.browser), { reason });
  });

  it.each([
    ["the directory", DIRECTORY],
    ["the server of the account", `${PDS}/`],
    ["the authorization server", `${ENTRYWAY}/request`],
    ["DNS", "https://cloudflare-dns.com/"],
  ])("that does not arrive: %s is unreachable", async (_, url) => {
    for (const answer of [
      () => new Response("", { status: 503 }),
      () => Promise.reject(new TypeError("fetch failed")),
    ]) {
      const app = createAtprotoApp(network);
      network.changes[url] = answer;
      await expectRefused(app, await signIn(app.browser), { error: "AtprotoUnreachable" });
    }
  });

  it.each([
    ["is not a handle", "not a handle"],
    ["is an e-mail address", "ada@keyhook.dev"],
    ["has a reserved name", "ada.internal"],
    ["is not text", '{"$ne":null}'],
    ["is a DID of another method", "did:key:z6Mk"],
    ["is a DID of a path", "did:web:keyhook.dev:users:ada"],
    ["is unknown", "eve.bsky.social"],
    ["is very long", `${"a.".repeat(100_00)}social`],
  ])("if the typed text %s", async (_, typed) => {
    const app = createAtprotoApp(network);
    await expectUnknown(app, await signIn(app.browser, typed));
  });

  it.each([404, 410])("if the directory has no document of a DID: status %s", async (status) => {
    const app = createAtprotoApp(network);
    network.changes[DIRECTORY] = () => Response.json({ message: "not available" }, { status });
    await expectUnknown(app, await signIn(app.browser));
  });

  it.each([
    ["several records", [`did=${ADA.did}`, "did=did:plc:eve234567eve234567eve234"]],
    ["a record that is broken", ["did=ada"]],
  ])("if a handle has %s, whatever its file says", async (_, records) => {
    const app = createAtprotoApp(network);
    network.changes["https://cloudflare-dns.com/"] = () =>
      Response.json({ Status: 0, Answer: records.map((data) => ({ type: 16, data })) });
    await expectUnknown(app, await signIn(app.browser));
  });

  it("if DNS fails, even if a file of another person exists", async () => {
    const app = createAtprotoApp(network);
    network.changes["https://cloudflare-dns.com/"] = () => Response.json({ Status: 2 });
    const response = await signIn(app.browser);
    await expectRefused(app, response, { error: "AtprotoUnreachable", reason: /DNS/ });
  });
});

describe("the configuration of a provider of the AT Protocol", () => {
  it.each([
    [{ scope: "openid" }, /`scope` without `atproto`/],
    [{ resolver: "http://dns.keyhook.dev" }, /`resolver`/],
    [{ directory: "https://plc.directory/did" }, /`directory`/],
    [{ server: "bsky.social" }, /`server`/],
    [{ userinfo: { url: "https://api.bsky.app/" } }, /`userinfo\.url`/],
    [{ privateKey: { kty: "EC" } }, /`privateKey`/],
    [{ privateKey: [] }, /`privateKey`/],
    [{ trustedServers: ["https://bsky.social/"] }, /`trustedServers`/],
    [{ profile: "name" }, /`profile`/],
  ])("%o is refused at boot", (options, message) => {
    const use = [blueskyPlugin(options as never)];
    const { faults } = diagnose(createTestAuth({ providers: [], use }).auth);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toMatch(message);
    expect(faults[0]?.message).toContain('"bluesky"');
  });

  it.each([
    ["a key that is not JSON", { AUTH_BLUESKY_PRIVATE_KEY: "-----BEGIN" }, /`privateKey`/],
    [
      "an origin at which servers cannot know it, in production",
      { NODE_ENV: "production", AUTH_URL: "https://app.keyhook.dev:8443" },
      /default port/,
    ],
  ])("%s is refused at boot", (_, env, message) => {
    const app = createTestAuth({
      providers: [],
      env: { NODE_ENV: "test", ...env },
      use: [blueskyPlugin({ [customFetch]: network.fetch })],
    });
    expect(diagnose(app.auth).faults.map((fault) => fault.message)).toEqual([
      expect.stringMatching(message),
    ]);
  });
});
