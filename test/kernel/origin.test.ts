import { describe, expect, it } from "vitest";
import { UntrustedHost } from "../../src/errors.ts";
import type { AuthConfig } from "../../src/index.ts";
import { publicOrigin } from "../../src/origin.ts";
import { createHouse, ENV, ORIGIN } from "../_setup.ts";

type Trust = boolean | string[];

function originOf(url: string, headers: Record<string, string> = {}, trustHost: Trust = true) {
  const config = createHouse({ trustHost: trustHost || ["none.example"] }).kernel().config;
  return publicOrigin({ ...config, trustHost }, new URL(url), new Headers(headers));
}

describe("the public origin", () => {
  it("is AUTH_URL's, whatever the request says", () => {
    const { config } = createHouse({
      env: { ...ENV, AUTH_URL: "https://app.example:8443/api/auth" },
    }).kernel();
    const headers = new Headers({ host: "evil.example", "x-forwarded-host": "evil.example" });
    expect(publicOrigin(config, new URL("http://evil.example/x"), headers)).toBe(
      "https://app.example:8443",
    );
  });

  it("is the request's where the host is trusted", () => {
    expect(originOf("http://localhost:3000/x")).toBe("http://localhost:3000");
  });

  it("is what the proxy says before", () => {
    const headers = { "x-forwarded-host": "app.example", "x-forwarded-proto": "https" };
    expect(originOf("http://10.0.0.1:8080/x", headers)).toBe("https://app.example");
  });

  it("is what the outermost of several proxies says", () => {
    const headers = {
      "x-forwarded-host": "app.example, inner.example",
      "x-forwarded-proto": "https, http",
    };
    expect(originOf("http://10.0.0.1/x", headers)).toBe("https://app.example");
  });

  it("is written in one way: lower case, no default port", () => {
    const headers = { "x-forwarded-host": "APP.Example:443", "x-forwarded-proto": "HTTPS" };
    expect(originOf("http://x/", headers)).toBe("https://app.example");
    expect(originOf("http://x/", { "x-forwarded-host": "[::1]:3000" })).toBe("http://[::1]:3000");
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
  ])("is not made of the forwarded host %j", (host) => {
    let headers: Record<string, string> = { "x-forwarded-host": host };
    try {
      void new Headers(headers);
    } catch {
      headers = { "x-forwarded-host": encodeURI(host) };
    }
    expect(() => originOf("http://x/", headers)).toThrow(UntrustedHost);
  });

  it.each(["javascript", "ftp", "https:", "http//", "file", "wss"])(
    "is not made of the forwarded scheme %j",
    (scheme) => {
      expect(() => originOf("http://x/", { "x-forwarded-proto": scheme })).toThrow(UntrustedHost);
    },
  );
});

describe("a list of trusted hosts", () => {
  const list = ["app.example", "*.tenants.example", "local.example:3000", "[::1]"];
  const listed = (host: string) => {
    try {
      return originOf(`https://${host}/`, {}, list);
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
  ])("%s: %j", (host, expected) => {
    expect(listed(host) !== null).toBe(expected);
  });

  it("is asked about the forwarded host too", () => {
    const headers = { "x-forwarded-host": "evil.example" };
    expect(() => originOf("https://app.example/", headers, list)).toThrow(UntrustedHost);
  });

  it("that is empty trusts nobody", () => {
    expect(() => originOf("https://app.example/", {}, [])).toThrow(UntrustedHost);
  });
});

describe("an untrusted host", () => {
  const config: AuthConfig = { trustHost: ["app.example"] };

  it("is answered by 400 and a fixed text, on every route, with no cookie", async () => {
    const { visit, log } = createHouse(config);
    const browser = visit("https://evil.example");
    for (const path of ["/auth/session", "/auth/signin", "/auth/csrf", "/auth/nothing"]) {
      const response = await browser.get(path);
      expect(response.status, path).toBe(400);
      expect(await response.text()).not.toContain("evil");
      expect(response.headers.getSetCookie()).toEqual([]);
      log.expectErrors("UntrustedHost");
    }
  });

  it("is refused by the server verbs too: there is one resolver", async () => {
    const { auth } = createHouse(config);
    const call = new Request("https://evil.example/page");
    await expect(auth.getSession(call)).rejects.toThrow(UntrustedHost);
    await expect(auth.signIn(call, "credentials")).rejects.toThrow(UntrustedHost);
    await expect(auth.signOut(call)).rejects.toThrow(UntrustedHost);
    await expect(auth.update(call, {})).rejects.toThrow(UntrustedHost);
    await expect(auth.authorize(call)).rejects.toThrow(UntrustedHost);
  });

  it("does not stick: the next request from a trusted host is answered", async () => {
    const { visit, log } = createHouse(config);
    expect((await visit("https://evil.example").get("/auth/session")).status).toBe(400);
    log.expectErrors("UntrustedHost");
    const providers = await visit("https://app.example").get("/auth/providers");
    expect(await providers.text()).toContain("https://app.example/auth/signin/credentials");
  });

  it("of one tenant never shows in another's answer", async () => {
    const { visit } = createHouse({ trustHost: ["*.example"] });
    const texts = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => {
        const host = `${at % 2 ? "a" : "b"}.example`;
        return [host, await (await visit(`https://${host}`).get("/auth/providers")).text()];
      }),
    );
    for (const [host, text] of texts) {
      expect(text).toContain(`https://${host}/`);
      expect(text).not.toContain(host === "a.example" ? "b.example" : "a.example");
    }
  });
});

describe("the origin in answers", () => {
  it("is the proxy's, for URLs, redirects and cookie names alike", async () => {
    const { auth } = createHouse();
    const headers = { "x-forwarded-host": "app.example", "x-forwarded-proto": "https" };
    const csrf = await auth.fetch(new Request(`${ORIGIN}/auth/csrf`, { headers }));
    expect(csrf.headers.getSetCookie()[0]).toContain("__Host-authjs.csrf-token=");
    const providers = await auth.fetch(new Request(`${ORIGIN}/auth/providers`, { headers }));
    expect(await providers.text()).toContain("https://app.example/auth/callback/credentials");
  });
});
