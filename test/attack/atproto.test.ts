import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../src/testing.ts";
import { locationOf, queryOf, type TestAuth } from "../_app.ts";
import {
  ADA,
  type AtprotoNetwork,
  changeJson,
  createAtprotoApp,
  DIRECTORY,
  documentOf,
  ENTRYWAY,
  PDS,
  startAtprotoNetwork,
} from "../flows/_atproto.ts";

let network: AtprotoNetwork;

beforeAll(async () => {
  network = await startAtprotoNetwork();
});
afterAll(() => network.close());

const EVE = {
  did: "did:plc:eve234567eve234567eve234",
  handle: "eve.keyhook.dev",
  pds: "https://evil.social",
  email: "eve@keyhook.dev",
};

const start = (browser: Browser, handle: string = ADA.handle) =>
  browser.signIn("bluesky", { handle });

/** Visits the authorization server, and returns the response that it redirects with. */
async function authorize(browser: Browser, handle?: string): Promise<URL> {
  const { url } = await network.idp.visit(locationOf(await start(browser, handle)));
  return new URL(url);
}

async function expectRefused(
  { browser, log }: TestAuth,
  response: Response,
  error = "AtprotoCallbackError",
): Promise<string> {
  expect(queryOf(response).error).toBe(error);
  expect(await browser.session()).toBeNull();
  return log.expectErrors(error)[0]?.message ?? "";
}

/** Eve's own server claims to be the personal data server and the authorization server of her accounts. */
function addEve(over: Partial<typeof EVE> = {}): void {
  network.accounts.push({ ...EVE, ...over });
  network.changes[`${EVE.pds}/.well-known/oauth-protected-resource`] = () =>
    Response.json({ resource: EVE.pds, authorization_servers: [EVE.pds] });
  network.changes[`${EVE.pds}/.well-known/oauth-authorization-server`] = async () => {
    const response = await network.fetch(`${ENTRYWAY}/.well-known/oauth-authorization-server`);
    const text = (await response.text()).replaceAll(ENTRYWAY, EVE.pds);
    return new Response(text, { headers: { "content-type": "application/json" } });
  };
  network.changes[`${EVE.pds}/request`] = (_, { url, init }) =>
    network.idp.send(`${ENTRYWAY}${url.pathname}`, init);
}

const FORBIDDEN = [
  "http://pds.social",
  "https://127.0.0.1",
  "https://2130706433",
  "https://0x7f.1",
  "https://[::1]",
  "https://[::ffff:169.254.169.254]",
  "https://169.254.169.254",
  "https://10.0.0.1",
  "https://192.168.1.1",
  "https://8.8.8.8",
  "https://localhost",
  "https://app.localhost",
  "https://metadata.google.internal",
  "https://printer.local",
  "https://intranet",
  "https://pds.social:8443",
  "https://ada:secret@pds.social",
  "https://pds.social/path",
  "https://pds.social?query",
  "https://pds.social#fragment",
  "file:///etc/passwd",
  "ftp://pds.social",
  "javascript:alert(1)",
];

describe("requests of a sign-in by the AT Protocol", () => {
  it.each(FORBIDDEN)(
    "no request is sent into the application's own network if the visitor types %s",
    async (url) => {
      const app = createAtprotoApp(network);
      expect(queryOf(await start(app.browser, url)).error).toBe("AtprotoUnknownAccount");
      expect(network.requests).toEqual([]);
    },
  );

  it.each([
    "localhost",
    "127.0.0.1",
    "10.0.0.1",
    "[::1]",
    "metadata.google.internal",
    "intranet",
    "did:web:localhost",
    "did:web:localhost%3A3000",
    "did:web:127.0.0.1",
    "did:web:printer.local",
    "did:web:pds.social%3A8443",
    "did:web:pds.social:..:..",
    "did:plc:../../../etc/passwd",
    "ada.bsky.social/../../",
    "ada.bsky.social#",
    "ada.bsky.social\r\nhost: evil",
    "ada%2ebsky.social",
    "аda.bsky.social",
  ])(
    "no request is sent into the application's own network if the visitor types %j",
    async (typed) => {
      const app = createAtprotoApp(network);
      network.accounts = [];
      const response = await start(app.browser, typed);
      expect(queryOf(response).error).toBe("AtprotoUnknownAccount");
      expect(network.requests).toEqual([]);
    },
  );

  it.each(FORBIDDEN)(
    "no request is sent into the application's own network if a DID document names %s",
    async (pds) => {
      const app = createAtprotoApp(network);
      network.accounts = [{ ...ADA, pds }];
      expect(await expectRefused(app, await start(app.browser))).toContain("personal data server");
      expect(network.requests.at(-1)).toBe(`GET ${DIRECTORY}/${ADA.did}`);
    },
  );

  it.each(FORBIDDEN)(
    "no request is sent into the application's own network if a personal data server names %s",
    async (issuer) => {
      const app = createAtprotoApp(network);
      network.changes[`${PDS}/.well-known/`] = () =>
        Response.json({ resource: PDS, authorization_servers: [issuer] });
      expect(await expectRefused(app, await start(app.browser))).toContain("authorization server");
      expect(network.requests.at(-1)).toMatch(/oauth-protected-resource$/);
    },
  );

  it.each(
    FORBIDDEN.filter((url) => !/\/path|\?query|#fragment/.test(url)).flatMap((url) => [
      ["token_endpoint", url],
      ["pushed_authorization_request_endpoint", url],
      ["authorization_endpoint", url],
    ]),
  )(
    "no request is sent into the application's own network if %s in the metadata is %s",
    async (name, url) => {
      const app = createAtprotoApp(network);
      network.changes[`${ENTRYWAY}/.well-known/`] = changeJson((body) => ({
        ...body,
        [name]: url,
      }));
      expect(await expectRefused(app, await start(app.browser))).toContain(`\`${name}\``);
      expect(network.requests.at(-1)).toMatch(/oauth-authorization-server$/);
    },
  );

  // Such a host may have a private address and a certificate for its name, and act on a POST.
  it.each([
    ["token_endpoint", "https://ci.company.com/job/deploy/build"],
    ["pushed_authorization_request_endpoint", "https://ci.company.com/job/deploy/build"],
    ["pushed_authorization_request_endpoint", "https://keyhook.dev/request"],
    ["pushed_authorization_request_endpoint", `https://evil${new URL(ENTRYWAY).host}/request`],
  ])("no request is sent to another host if %s in the metadata is %s", async (name, url) => {
    const app = createAtprotoApp(network);
    network.changes[`${ENTRYWAY}/.well-known/`] = changeJson((body) => ({ ...body, [name]: url }));
    expect(await expectRefused(app, await start(app.browser))).toContain(`\`${name}\``);
    expect(network.requests.at(-1)).toMatch(/oauth-authorization-server$/);
  });

  it("a request may be sent to a subdomain of the authorization server", async () => {
    const app = createAtprotoApp(network);
    const { host } = new URL(ENTRYWAY);
    network.changes[`${ENTRYWAY}/.well-known/`] = changeJson((body) => ({
      ...body,
      pushed_authorization_request_endpoint: `https://par.${host}/request`,
    }));
    network.changes[`https://par.${host}/request`] = () => new Response(null, { status: 503 });
    await start(app.browser);
    expect(network.requests.at(-1)).toBe(`POST https://par.${host}/request`);
    app.log.expectErrors("AtprotoUnreachable");
  });

  it.each([
    ["the file of a handle", `https://${ADA.handle}/`, "AtprotoUnknownAccount"],
    ["the directory", DIRECTORY, "AtprotoUnreachable"],
    ["a personal data server", `${PDS}/`, "AtprotoUnreachable"],
    ["an authorization server", `${ENTRYWAY}/`, "AtprotoUnreachable"],
  ])("no redirect of a response is followed: %s", async (_, url, error) => {
    const app = createAtprotoApp(network);
    network.changes[url] = () =>
      new Response(null, { status: 302, headers: { location: "https://127.0.0.1/" } });
    const response = await start(app.browser);
    expect(queryOf(response).error).toBe(error);
    if (error === "AtprotoUnreachable") app.log.expectErrors(error);
    expect(network.requests.join()).not.toContain("127.0.0.1");
  });

  it.each([
    ["the file of a handle", `https://${ADA.handle}/`, "AtprotoUnknownAccount"],
    ["a DID document", DIRECTORY, "AtprotoUnreachable"],
    ["metadata", `${PDS}/`, "AtprotoUnreachable"],
    ["the response to a request", `${ENTRYWAY}/request`, "AtprotoUnreachable"],
  ])("%s of two megabytes is not buffered", async (_, url, error) => {
    const app = createAtprotoApp(network);
    let sent = 0;
    network.changes[url] = () => {
      const body = new ReadableStream({
        pull(controller) {
          sent += 16_384;
          controller.enqueue(new Uint8Array(16_384));
          if (sent > 2_000_000) controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "application/json" } });
    };
    expect(queryOf(await start(app.browser)).error).toBe(error);
    if (error === "AtprotoUnreachable") app.log.expectErrors(error);
    expect(sent).toBeLessThan(200_000);
  });

  it("a sign-in fails if the server always demands a new nonce", async () => {
    const app = createAtprotoApp(network);
    let serial = 0;
    network.changes[`${ENTRYWAY}/request`] = () =>
      Response.json(
        { error: "use_dpop_nonce" },
        { status: 400, headers: { "dpop-nonce": `nonce-${serial++}` } },
      );
    await expectRefused(app, await start(app.browser));
    expect(serial).toBe(2);
  });

  it("after 50 failed attempts of a client, further ones are refused without a request", async () => {
    const app = createAtprotoApp(network, { env: { AUTH_TRUST_PROXY: "1" } });
    const csrfToken = await app.browser.csrfToken();
    const attempt = async (handle: string) => {
      const headers = { "x-forwarded-for": "192.0.2.1" };
      const response = await app.browser.post(
        "/auth/signin/bluesky",
        { handle, csrfToken },
        { headers },
      );
      return queryOf(response).error;
    };
    for (let count = 0; count < 50; count++) {
      expect(await attempt(`nobody-${count}.bsky.social`)).toBe("AtprotoUnknownAccount");
    }
    const { length } = network.requests;
    expect(await attempt(ADA.handle)).toBe("TooManyAttempts");
    expect(network.requests).toHaveLength(length);
  });
});

describe("a server of the AT Protocol signs in only its own accounts", () => {
  it("an authorization server cannot sign in another account than the typed one", async () => {
    const app = createAtprotoApp(network);
    addEve();
    const url = await authorize(app.browser);
    network.sub = EVE.did;
    expect(await expectRefused(app, await app.browser.get(url.href))).toContain(
      "is not the one entered",
    );
  });

  it("a server that was typed cannot sign in an account of another server", async () => {
    const app = createAtprotoApp(network);
    addEve();
    network.sub = EVE.did;
    const url = await authorize(app.browser, ENTRYWAY);
    const message = await expectRefused(app, await app.browser.get(url.href));
    expect(message).toContain("belongs to another server");
  });

  it("a server that was typed cannot sign in an account that does not exist", async () => {
    const app = createAtprotoApp(network);
    network.sub = "did:plc:nobody234nobody234nobody";
    const url = await authorize(app.browser, ENTRYWAY);
    await expectRefused(app, await app.browser.get(url.href));
  });

  it("a handle cannot name the account of another person", async () => {
    const app = createAtprotoApp(network);
    network.changes["https://evil.keyhook.dev/"] = () => new Response(ADA.did);
    expect(queryOf(await start(app.browser, "evil.keyhook.dev")).error).toBe(
      "AtprotoUnknownAccount",
    );
  });

  it("a DID document cannot claim the handle of another person", async () => {
    const app = createAtprotoApp(network, { userinfo: { url: "https://x.keyhook.dev/{did}" } });
    const thief = { ...ADA, did: EVE.did };
    network.accounts = [ADA];
    network.changes[`${DIRECTORY}/${EVE.did}`] = () => Response.json(documentOf(thief));
    network.sub = EVE.did;
    const url = await authorize(app.browser, EVE.did);
    await app.browser.get(url.href);
    expect(await app.browser.session()).toMatchObject({ user: { name: EVE.did } });
  });

  it("a personal data server cannot use the metadata of another authorization server", async () => {
    const app = createAtprotoApp(network);
    network.changes[`${ENTRYWAY}/.well-known/`] = changeJson((body) => ({
      ...body,
      issuer: "https://bsky.social",
    }));
    await expectRefused(app, await start(app.browser));
  });

  it("an address is not verified because Bluesky signs in the account, if another server keeps it", async () => {
    const app = createAtprotoApp(network, { scope: "atproto transition:email" });
    // Eve's account is at Bluesky. Her own document leads to her own server.
    network.accounts = [{ ...EVE, email: ADA.email }];
    network.changes[`${EVE.pds}/.well-known/oauth-protected-resource`] = () =>
      Response.json({ resource: EVE.pds, authorization_servers: [ENTRYWAY] });
    network.changes[`${EVE.pds}/xrpc/`] = () =>
      Response.json(
        { did: EVE.did, email: ADA.email, emailConfirmed: true },
        { headers: { "dpop-nonce": "n" } },
      );
    network.sub = EVE.did;
    const url = await authorize(app.browser, EVE.handle);
    await app.browser.get(url.href);
    expect(await app.browser.session()).not.toBeNull();
    const account = await app.adapter.getAccount?.(EVE.did, "bluesky");
    expect(account).toMatchObject({ verifiedEmail: false });
  });
});

describe("the response of an authorization server of the AT Protocol", () => {
  it.each([
    [
      "of another issuer (mix-up)",
      (url: URL) => url.searchParams.set("iss", "https://evil.social"),
    ],
    ["without an issuer", (url: URL) => url.searchParams.delete("iss")],
    [
      "of another attempt",
      (url: URL) => url.searchParams.set("state", "A".repeat(22)),
      "InvalidCheck",
    ],
    ["without a state", (url: URL) => url.searchParams.delete("state"), "InvalidCheck"],
    ["with two codes", (url: URL) => url.searchParams.append("code", "another")],
    ["that is a token (JARM)", (url: URL) => url.searchParams.set("response", "a.b.c")],
  ])("%s is refused before the server is asked for a token", async (_, change, error?: string) => {
    const app = createAtprotoApp(network);
    const url = await authorize(app.browser);
    change(url);
    await expectRefused(app, await app.browser.get(url.href), error);
    expect(network.requests.join()).not.toContain("/token");
  });

  it("the response is refused in another browser", async () => {
    const app = createAtprotoApp(network);
    const url = await authorize(app.openBrowser());
    await expectRefused(app, await app.browser.get(url.href), "InvalidCheck");
  });

  it("the response is accepted once", async () => {
    const app = createAtprotoApp(network);
    const url = await authorize(app.browser);
    const copy = new Map(app.browser.cookies);
    await app.browser.get(url.href);
    await app.browser.signOut();
    for (const [name, value] of copy) app.browser.cookies.set(name, value);
    await expectRefused(app, await app.browser.get(url.href), "InvalidCheck");
  });

  it.each([
    ["of the same browser", (app: TestAuth) => app.browser],
    ["of another browser", (app: TestAuth) => app.openBrowser()],
  ])("the secrets of another attempt are not used: %s", async (_, open) => {
    const app = createAtprotoApp(network);
    const other = open(app);
    const find = ({ cookies }: Browser) =>
      [...cookies].findLast(([name]) => name.includes("atproto-request")) ?? ["", ""];
    await authorize(other);
    const [, value] = find(other);
    const url = await authorize(app.browser);
    const [name, own] = find(app.browser);
    expect(own).not.toBe(value);
    app.browser.cookies.set(name, value);
    await expectRefused(app, await app.browser.get(url.href), "InvalidCheck");
    expect(network.requests.join()).not.toContain("/token");
  });

  it("the text of a server's error is not logged", async () => {
    const app = createAtprotoApp(network);
    const url = await authorize(app.browser);
    const code = url.searchParams.get("code") ?? "?";
    network.changes[`${ENTRYWAY}/token`] = () =>
      Response.json(
        { error: "invalid_grant", error_description: `CANARY ${code}` },
        { status: 400, headers: { "dpop-nonce": "n" } },
      );
    expect(queryOf(await app.browser.get(url.href)).error).toBe("AtprotoCallbackError");
    const [logged] = app.log.expectErrors("AtprotoCallbackError");
    const text = [logged?.message, logged?.stack, JSON.stringify(logged?.cause)].join();
    expect(text).not.toContain("CANARY");
    expect(text).not.toContain(code);
    expect(String(logged?.cause?.err)).not.toContain(code);
  });
});
