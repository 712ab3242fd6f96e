import { describe, expect, it } from "vitest";
import { UntrustedHost } from "../../src/errors/errors.ts";
import { getPublicOrigin } from "../../src/http/origin.ts";
import type { AuthConfig } from "../../src/kernel.ts";
import { createTestAuth, ENV, ORIGIN } from "../_app.ts";

type Trust = boolean | string[];

function getOrigin(url: string, headers: Record<string, string> = {}, trustHost: Trust = true) {
  const config = createTestAuth({ trustHost: trustHost || ["none.example"] }).kernel().config;
  return getPublicOrigin({ ...config, trustHost }, new URL(url), new Headers(headers));
}

describe("getPublicOrigin()", () => {
  it("getPublicOrigin() is the origin of AUTH_URL, whatever the request's headers are", () => {
    const { config } = createTestAuth({
      env: { ...ENV, AUTH_URL: "https://app.example:8443/api/auth" },
    }).kernel();
    const headers = new Headers({ host: "evil.example", "x-forwarded-host": "evil.example" });
    expect(getPublicOrigin(config, new URL("http://evil.example/x"), headers)).toBe(
      "https://app.example:8443",
    );
  });

  it("getPublicOrigin() is the request's origin when the host is trusted", () => {
    expect(getOrigin("http://localhost:3000/x")).toBe("http://localhost:3000");
  });

  it("getPublicOrigin() prefers the forwarded host and scheme to the request's URL", () => {
    const headers = { "x-forwarded-host": "app.example", "x-forwarded-proto": "https" };
    expect(getOrigin("http://10.0.0.1:8080/x", headers)).toBe("https://app.example");
  });

  it("getPublicOrigin() uses the values of the outermost of several proxies", () => {
    const headers = {
      "x-forwarded-host": "app.example, inner.example",
      "x-forwarded-proto": "https, http",
    };
    expect(getOrigin("http://10.0.0.1/x", headers)).toBe("https://app.example");
  });

  it("getPublicOrigin() is in lower case and has no default port", () => {
    const headers = { "x-forwarded-host": "APP.Example:443", "x-forwarded-proto": "HTTPS" };
    expect(getOrigin("http://x/", headers)).toBe("https://app.example");
    expect(getOrigin("http://x/", { "x-forwarded-host": "[::1]:3000" })).toBe("http://[::1]:3000");
  });

  it("getPublicOrigin() maps the scheme of a WebSocket to that of its page, as proxies send it", () => {
    const at = (scheme: string, url = "http://app.example/ws") =>
      getOrigin(url, { "x-forwarded-proto": scheme });
    expect(at("ws")).toBe("http://app.example");
    expect(at("WSS")).toBe("https://app.example");
    // A request's own https is never downgraded.
    expect(at("ws", "https://app.example/ws")).toBe("https://app.example");
    expect(() => at("wsss")).toThrow(UntrustedHost);
  });

  it.each([
    "evil.example/path",
    "evil.example?x",
    "evil.example#x",
    "user@evil.example",
    "evil example",
    "evil.example:99999",
    "evil.example:port",
    "a".repeat(300),
    "[::1",
    "::1",
    "-a.example",
    "%65vil.example",
    "evil\\.example",
    "é.example",
    "null/",
  ])("getPublicOrigin() throws UntrustedHost for the forwarded host %j", (host) => {
    let headers: Record<string, string> = { "x-forwarded-host": host };
    try {
      void new Headers(headers);
    } catch {
      headers = { "x-forwarded-host": encodeURI(host) };
    }
    expect(() => getOrigin("http://x/", headers)).toThrow(UntrustedHost);
  });

  it.each(["javascript", "ftp", "https:", "http//", "file", "wsx"])(
    "getPublicOrigin() throws UntrustedHost for the forwarded scheme %j",
    (scheme) => {
      expect(() => getOrigin("http://x/", { "x-forwarded-proto": scheme })).toThrow(UntrustedHost);
    },
  );
});

describe("trustHost as a list of hosts", () => {
  const list = ["app.example", "*.tenants.example", "local.example:3000", "[::1]"];
  const listed = (host: string) => {
    try {
      return getOrigin(`https://${host}/`, {}, list);
    } catch (error) {
      expect(error).toBeInstanceOf(UntrustedHost);
      return null;
    }
  };

  it.each([
    ["app.example", true],
    ["APP.EXAMPLE", true],
    ["a.tenants.example", true],
    ["a.b.tenants.example", true],
    ["local.example:3000", true],
    ["[::1]", true],
    ["tenants.example", false],
    ["evil-tenants.example", false],
    [".tenants.example", false],
    ["app.example.evil.example", false],
    ["evilapp.example", false],
    ["local.example", false],
    ["local.example:3001", false],
  ])("a trustHost list accepts the host %s: %j", (host, expected) => {
    expect(listed(host) !== null).toBe(expected);
  });

  it("a trustHost list is also checked against the forwarded host", () => {
    const headers = { "x-forwarded-host": "evil.example" };
    expect(() => getOrigin("https://app.example/", headers, list)).toThrow(UntrustedHost);
  });

  it("an empty trustHost list trusts no host", () => {
    expect(() => getOrigin("https://app.example/", {}, [])).toThrow(UntrustedHost);
  });
});

describe("requests with an untrusted host", () => {
  const config: AuthConfig = { trustHost: ["app.example"] };

  it("responds to an untrusted host with 400 and a generic text, on every route and without cookies", async () => {
    const { openBrowser, log } = createTestAuth(config);
    const browser = openBrowser("https://evil.example");
    for (const path of ["/auth/session", "/auth/signin", "/auth/csrf", "/auth/nothing"]) {
      const response = await browser.get(path);
      expect(response.status, path).toBe(400);
      expect(await response.text()).not.toContain("evil");
      expect(response.headers.getSetCookie()).toEqual([]);
      log.expectErrors("UntrustedHost");
    }
  });

  it("getSession(), signIn(), signOut(), update() and authorize() reject an untrusted host", async () => {
    const { auth } = createTestAuth(config);
    const call = new Request("https://evil.example/page");
    await expect(auth.getSession(call)).rejects.toThrow(UntrustedHost);
    await expect(auth.signIn(call, "credentials")).rejects.toThrow(UntrustedHost);
    await expect(auth.signOut(call)).rejects.toThrow(UntrustedHost);
    await expect(auth.update(call, {})).rejects.toThrow(UntrustedHost);
    await expect(auth.authorize(call)).rejects.toThrow(UntrustedHost);
  });

  it("an untrusted host does not affect the next request of a trusted host", async () => {
    const { openBrowser, log } = createTestAuth(config);
    expect((await openBrowser("https://evil.example").get("/auth/session")).status).toBe(400);
    log.expectErrors("UntrustedHost");
    const providers = await openBrowser("https://app.example").get("/auth/providers");
    expect(await providers.text()).toContain("https://app.example/auth/signin/credentials");
  });

  it("concurrent responses to two hosts never contain the other host", async () => {
    const { openBrowser } = createTestAuth({ trustHost: ["*.example"] });
    const texts = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const host = `${at % 2 ? "a" : "b"}.example`;
        return [host, await (await openBrowser(`https://${host}`).get("/auth/providers")).text()];
      }),
    );
    for (const [host, text] of texts) {
      expect(text).toContain(`https://${host}/`);
      expect(text).not.toContain(host === "a.example" ? "b.example" : "a.example");
    }
  });
});

describe("public origin in responses", () => {
  it("URLs and cookie names follow the origin that the proxy forwards", async () => {
    const { auth } = createTestAuth();
    const headers = { "x-forwarded-host": "app.example", "x-forwarded-proto": "https" };
    const csrf = await auth.fetch(new Request(`${ORIGIN}/auth/csrf`, { headers }));
    expect(csrf.headers.getSetCookie()[0]).toContain("__Host-authjs.csrf-token=");
    const providers = await auth.fetch(new Request(`${ORIGIN}/auth/providers`, { headers }));
    expect(await providers.text()).toContain("https://app.example/auth/callback/credentials");
  });
});

describe("scheme and port of a trustHost list", () => {
  const at = (url: string, headers: Record<string, string>, list: string[]) => {
    try {
      return getOrigin(url, headers, list);
    } catch (error) {
      expect(error).toBeInstanceOf(UntrustedHost);
      return null;
    }
  };
  const proto = (scheme: string) => ({ "x-forwarded-proto": scheme });

  it.each([
    // The visitor cannot choose the port.
    ["https://app.example:8443/", {}, ["app.example"], null],
    ["https://app.example:80/", {}, ["app.example"], null],
    ["http://app.example:443/", {}, ["app.example"], "https://app.example"],
    ["https://app.example:443/", {}, ["app.example"], "https://app.example"],
    ["https://x/", { "x-forwarded-host": "app.example:8443" }, ["app.example"], null],
    ["https://a.b.example:8443/", {}, ["*.b.example"], null],
    ["https://a.b.example:8443/", {}, ["*.b.example:8443"], "https://a.b.example:8443"],
    ["https://a.b.example/", {}, ["*.b.example:8443"], null],
    ["http://localhost:3000/", {}, ["localhost"], null],
    ["http://localhost:3000/", {}, ["localhost:3000"], "http://localhost:3000"],
    // The visitor cannot choose the scheme either, if the entry names it.
    ["http://app.example/", {}, ["https://app.example"], "https://app.example"],
    ["http://app.example/", proto("http"), ["https://app.example"], "https://app.example"],
    ["https://app.example/", {}, ["http://app.example"], null],
    ["http://a.example:3000/", {}, ["http://a.example:3000"], "http://a.example:3000"],
    ["http://a.b.example/", {}, ["https://*.b.example"], "https://a.b.example"],
    // A header does not downgrade the request's own https.
    ["https://app.example/", proto("http"), ["app.example"], "https://app.example"],
    ["https://app.example/", proto("http, https"), ["app.example"], "https://app.example"],
    ["http://app.example/", proto("https"), ["app.example"], "https://app.example"],
  ] as const)("%s with %j and the list %j has the origin %j", (url, headers, list, origin) => {
    expect(at(url, headers, [...list])).toBe(origin);
  });

  it("the request's own https is not downgraded if every host is trusted", () => {
    expect(getOrigin("https://app.example/", proto("http"))).toBe("https://app.example");
  });

  it.each([
    "",
    "https://",
    "app.example/path",
    "*",
    "*.*.example",
    "a b",
    "app.example:",
    "ftp://a",
  ])("boot refuses the entry %j by name", (entry) => {
    const { auth, log } = createTestAuth({ trustHost: [entry] });
    expect(() => auth.inspect()).toThrow(`\`trustHost\` lists "${entry}", which cannot be a host`);
    log.expectErrors("InvalidConfig");
  });
});
