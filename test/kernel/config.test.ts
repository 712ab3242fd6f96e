import { afterEach, describe, expect, it, vi } from "vitest";
import { BootError, InvalidConfig, MissingSecretError, UntrustedHost } from "../../src/errors.ts";
import { type AuthConfig, type CookiesOptions, createAuthWith, type Env } from "../../src/index.ts";
import {
  createHouse,
  createLog,
  credentials,
  ENV,
  housePreset,
  ORIGIN,
  SECRET,
} from "../_setup.ts";

afterEach(() => void vi.unstubAllEnvs());

/** What a configuration is resolved to, with the warnings on the way. */
function resolve(config: AuthConfig = {}) {
  const { kernel, log } = createHouse(config);
  return { ...kernel().config, warnings: log.warnings };
}

/** The faults of a configuration. */
function faultsOf(config: AuthConfig): (Error & { type?: string })[] {
  const { auth, log } = createHouse(config);
  try {
    auth.inspect();
    return [];
  } catch (error) {
    log.errors.length = 0;
    return (error as { faults?: Error[] }).faults ?? [error as Error];
  }
}

const trust = (env: Env, config: AuthConfig = {}) => resolve({ env, ...config }).trustHost;
const production = { NODE_ENV: "production", AUTH_SECRET: SECRET };

describe("trusting the host", () => {
  it("is on outside production and off in production", () => {
    expect(trust({ NODE_ENV: "development" })).toBe(true);
    expect(trust({ NODE_ENV: "test" })).toBe(true);
    expect(trust({ OTHER: "1" })).toBe(true);
    expect(faultsOf({ env: production })[0]).toBeInstanceOf(UntrustedHost);
  });

  it("is off where there is no environment at all: an edge runtime is production", () => {
    expect(faultsOf({ env: {} })[0]).toBeInstanceOf(UntrustedHost);
  });

  it.each(["true", "1", "yes", "on", "TRUE", " true "])("is on for AUTH_TRUST_HOST=%j", (value) => {
    expect(trust({ ...production, AUTH_TRUST_HOST: value })).toBe(true);
  });

  it.each(["false", "0", "no", "off", "False"])("is off for AUTH_TRUST_HOST=%j", (value) => {
    expect(faultsOf({ env: { ...ENV, AUTH_TRUST_HOST: value } })[0]).toBeInstanceOf(UntrustedHost);
  });

  it("goes by the other rules where AUTH_TRUST_HOST is empty", () => {
    expect(trust({ ...ENV, AUTH_TRUST_HOST: "" })).toBe(true);
    expect(faultsOf({ env: { ...production, AUTH_TRUST_HOST: "" } })).toHaveLength(1);
  });

  it("is a fault that names the variable for any other text", () => {
    const [fault] = faultsOf({ env: { ...ENV, AUTH_TRUST_HOST: "maybe" } });
    expect(fault).toBeInstanceOf(InvalidConfig);
    expect(fault?.message).toContain("AUTH_TRUST_HOST must be true or false");
  });

  it("is on at platforms known to set the host", () => {
    expect(trust({ ...production, VERCEL: "1" })).toBe(true);
    expect(trust({ ...production, CF_PAGES: "1" })).toBe(true);
  });

  it("is on with AUTH_URL, whatever the variable says: the origin is known", () => {
    const env = { ...production, AUTH_URL: "https://app.example", AUTH_TRUST_HOST: "false" };
    expect(trust(env)).toBe(true);
  });

  it("is what the configuration says before all variables", () => {
    const env = { ...production, AUTH_TRUST_HOST: "true" };
    expect(faultsOf({ env, trustHost: false })[0]).toBeInstanceOf(UntrustedHost);
    expect(trust(production, { trustHost: true })).toBe(true);
    expect(trust(production, { trustHost: ["a.example"] })).toEqual(["a.example"]);
  });

  it("takes null and undefined for nothing said", () => {
    expect(trust(ENV, { trustHost: undefined as never })).toBe(true);
    expect(trust(ENV, { trustHost: null as never })).toBe(true);
  });
});

describe("the base path", () => {
  const basePath = (config: AuthConfig) => resolve(config).basePath;

  it("is cleaned: one slash before, none after", () => {
    expect(basePath({ basePath: "/api/auth/" })).toBe("/api/auth");
    expect(basePath({ basePath: "api/auth" })).toBe("/api/auth");
    expect(basePath({ basePath: "/" })).toBe("");
    expect(basePath({ basePath: "" })).toBe("");
  });

  it("comes from AUTH_URL's path when it has one", () => {
    const at = (AUTH_URL: string) => basePath({ env: { ...ENV, AUTH_URL } });
    expect(at("https://app.example/api/auth")).toBe("/api/auth");
    expect(at("https://app.example/api/auth/")).toBe("/api/auth");
    expect(at("https://app.example")).toBe("/auth");
    expect(at("https://app.example/")).toBe("/auth");
  });

  it("of the configuration wins over AUTH_URL, with a warning", () => {
    const env = { ...ENV, AUTH_URL: "https://app.example/one" };
    expect(resolve({ env, basePath: "/two" })).toMatchObject({
      basePath: "/two",
      warnings: ["env-url-basepath-mismatch"],
    });
    expect(resolve({ env, basePath: "/one" })).toMatchObject({
      basePath: "/one",
      warnings: ["env-url-basepath-redundant"],
    });
  });

  it.each([
    "/a b",
    "/a?b",
    "/a#b",
    "/a//b",
    "/../a",
    "/a/..",
    "//evil",
    "https://a",
    "/a\\b",
    "/é",
  ])("is refused as %j", (given) => {
    expect(faultsOf({ basePath: given })[0]?.message).toContain("must be a plain path");
  });
});

describe("numbers of seconds", () => {
  const seconds = (session: object) => resolve({ session }).session;

  it("are whole", () => {
    expect(seconds({ maxAge: 90.9, updateAge: 30.5 })).toMatchObject({ maxAge: 90, updateAge: 30 });
  });

  it("may be zero for updateAge only", () => {
    expect(seconds({ updateAge: 0 })).toMatchObject({ updateAge: 0 });
    expect(faultsOf({ session: { maxAge: 0 } })[0]?.message).toContain("session.maxAge");
  });

  it("keep their default for undefined and null", () => {
    expect(seconds({ maxAge: undefined, updateAge: null })).toMatchObject({
      maxAge: 2_592_000,
      updateAge: 86_400,
    });
  });

  it.each([[-1], [Number.NaN], [Infinity], ["60"], [Number.MAX_SAFE_INTEGER]])(
    "are refused as %j: no date could be made of it",
    (value) => {
      expect(faultsOf({ session: { maxAge: value as number } })[0]).toBeInstanceOf(InvalidConfig);
      expect(faultsOf({ jwt: { maxAge: value as number } })[0]).toBeInstanceOf(InvalidConfig);
    },
  );
});

describe("secrets", () => {
  it("that are missing are warned of once, outside production", async () => {
    const { browser, log } = createHouse({ secret: "" });
    await browser.session();
    await browser.session();
    expect(log.warnings).toEqual(["secret-missing"]);
  });

  it("that are missing are a fault in production", () => {
    const env = { NODE_ENV: "production", AUTH_URL: "https://app.example" };
    for (const secret of [undefined, "", [], [""]]) {
      expect(faultsOf({ env, secret: secret as never })[0]).toBeInstanceOf(MissingSecretError);
    }
  });

  it("of a process serve all its configurations alike, where none is set", () => {
    const one = createHouse({ secret: "" }).kernel().config.secret;
    const two = createHouse({ secret: "" }).kernel().config.secret;
    expect(one[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(one).not.toEqual(two);
  });

  it("that are short are warned of", () => {
    expect(resolve({ secret: "a".repeat(31) }).warnings).toEqual(["secret-short"]);
    expect(resolve({ secret: "a".repeat(32) }).warnings).toEqual([]);
  });

  it("of several keep their order, without the empty ones", () => {
    const [one, two] = ["1".repeat(32), "2".repeat(32)];
    expect(resolve({ secret: [one, "", two] }).secret).toEqual([one, two]);
  });
});

describe("other fields", () => {
  it("that are misspelt are warned of", () => {
    expect(resolve({ provider: [], basepath: "/x" } as never).warnings).toEqual([
      "config-unknown",
      "config-unknown",
    ]);
  });

  it.each(["not a url", "ftp://app.example", "javascript:alert(1)", "/auth", "app.example"])(
    "AUTH_URL=%j is a fault",
    (AUTH_URL) => {
      expect(faultsOf({ env: { ...ENV, AUTH_URL } })[0]?.message).toContain("AUTH_URL");
    },
  );

  it("redirectProxyUrl must be a full URL", () => {
    for (const redirectProxyUrl of ["/auth", "proxy.example", "ftp://proxy.example/auth"]) {
      expect(faultsOf({ redirectProxyUrl })[0]?.message).toContain("redirectProxyUrl");
    }
  });

  it.each(["login", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", 1])(
    "a page at %j is a fault",
    (signIn) => {
      expect(faultsOf({ pages: { signIn: signIn as string } })[0]?.message).toContain(
        "`pages.signIn`",
      );
    },
  );

  it("a page may be a path or a full URL", () => {
    const pages = { signIn: "/login?from=auth", error: "https://help.example/error" };
    expect(resolve({ pages }).pages).toEqual(pages);
  });

  it.each(["a b", "a;b", "a=b", "é", "a,b", ""])("a cookie named %j is a fault", (name) => {
    const [fault] = faultsOf({ cookies: { state: { name } } });
    expect(fault?.message).toContain("`cookies.state.name` is no valid cookie name");
  });

  it("a __Host- cookie with a domain or a path of its own is a fault: browsers drop it", () => {
    const name = "__Host-x";
    for (const options of [{ domain: "app.example" }, { path: "/auth" }]) {
      const [fault] = faultsOf({ cookies: { csrfToken: { name, options } } });
      expect(fault?.message).toContain("a __Host- cookie has no domain");
    }
    expect(faultsOf({ cookies: { csrfToken: { name, options: { path: "/" } } } })).toEqual([]);
  });

  it.each([
    [
      "one name for two purposes (R3)",
      { state: { name: "x" }, nonce: { name: "x" } },
      "must differ",
    ],
    ["a name that is another's part", { state: { name: "x.1" }, nonce: { name: "x" } }, "differ"],
    ["a reserved name", { state: { name: "encodedState" } }, "no cookie may be named"],
    ["a broken age", { state: { options: { maxAge: 1.5 } } }, "whole number"],
    [
      "SameSite=None in clear",
      { state: { options: { sameSite: "none", secure: false } } },
      "secure",
    ],
    ["a prefix without its promise", { state: { options: { secure: false } } }, "must be secure"],
  ] as const)("cookies of %s are a fault", (_, cookies, text) => {
    expect(faultsOf({ cookies: cookies as CookiesOptions })[0]?.message).toContain(text);
  });

  it("of wrong types are reported, not thrown at somebody", async () => {
    for (const config of [{ basePath: 1 }, { secret: 1 }, { trustHost: "yes" }, { cookies: [1] }]) {
      const { browser, log } = createHouse(config as never);
      const response = await browser.get("/auth/session");
      const fine = response.status === 200;
      expect([fine, log.errors.length > 0], JSON.stringify(config)).toEqual([fine, !fine]);
      log.errors.length = 0;
    }
  });
});

describe("faults", () => {
  it("are reported all together, each with its mend", async () => {
    const config: AuthConfig = {
      env: { NODE_ENV: "production", AUTH_URL: "nonsense" },
      secret: "",
      basePath: "/a b",
      session: { maxAge: -1, strategy: "carrier-pigeon" },
      providers: [credentials(), credentials()],
      pages: { error: "nowhere" },
    };
    const { auth, log } = createHouse(config);
    expect(() => auth.inspect()).toThrow(BootError);
    const [boot] = log.expectErrors("BootError") as unknown as BootError[];
    expect(boot?.faults.map(({ type, message }) => `${type}: ${message}`)).toMatchInlineSnapshot(`
      [
        "InvalidConfig: AUTH_URL must be an http(s) URL.",
        "InvalidConfig: session.maxAge must be a number of seconds, from 1 to 3155760000 (100 years).",
        "MissingSecret: No secret. Set AUTH_SECRET (or \`secret\`) to at least 32 random characters.",
        "InvalidConfig: \`pages.error\` must start with "/" or be an http(s) URL.",
        "InvalidConfig: \`basePath\` must be a plain path such as /auth.",
        "UntrustedHost: The request's host is not trusted. Set AUTH_URL to the public URL, or AUTH_TRUST_HOST=true where a proxy sets the host header, or \`trustHost\` to the list of your hosts.",
        "PluginError: Two plugins are named "credentials". Drop or rename one.",
        "InvalidConfig: Two providers have the id "credentials". Give one another \`id\`.",
        "UnsupportedStrategy: No plugin keeps sessions by "carrier-pigeon" (there is: jwt). Set \`session.strategy\`, or use a plugin that brings it.",
      ]
    `);
  });

  it("are found once and answered every time", async () => {
    const { browser, auth, log } = createHouse({ pages: { error: "nowhere" } });
    for (const path of ["/auth/session", "/auth/csrf"]) {
      const response = await browser.get(path, { headers: { accept: "application/json" } });
      expect(response.status).toBe(500);
      expect(JSON.stringify(await response.json())).not.toContain("pages");
    }
    await expect(auth.getSession(new Request(ORIGIN))).rejects.toThrow(InvalidConfig);
    log.expectErrors("InvalidConfig");
  });

  it("are shown to a browser as a page that says nothing of them", async () => {
    const { browser, log } = createHouse({ pages: { error: "nowhere" } });
    const response = await browser.get("/auth/signin");
    expect(response.status).toBe(500);
    expect(response.headers.get("content-type")).toContain("text/html");
    const html = await response.text();
    expect(html).toContain("misconfigured");
    expect(html).not.toContain("nowhere");
    log.expectErrors("InvalidConfig");
  });
});

describe("a configuration made for each request", () => {
  it("is asked with the request, and a promise is waited for", async () => {
    const source = vi.fn(async () => ({ secret: SECRET, env: ENV, providers: [credentials()] }));
    const auth = createAuthWith(housePreset, source);
    const request = new Request(`${ORIGIN}/auth/providers`);
    const response = await auth.fetch(request);
    expect(Object.keys((await response.json()) as object)).toEqual(["credentials"]);
    expect(source).toHaveBeenCalledExactlyOnceWith(request);
  });

  it("boots once for the same object, and again for another", async () => {
    const setup = vi.fn();
    const shared = { secret: SECRET, env: ENV };
    let config: AuthConfig = shared;
    const auth = createAuthWith(housePreset, () => config).use({ name: "counted", setup });
    const ask = () => auth.fetch(new Request(`${ORIGIN}/auth/session`));
    await ask();
    await ask();
    expect(setup).toHaveBeenCalledTimes(1);
    config = { ...shared };
    await ask();
    expect(setup).toHaveBeenCalledTimes(2);
    config = shared;
    await ask();
    expect(setup).toHaveBeenCalledTimes(2);
  });

  it("may give each host its own providers", async () => {
    const tenant = (id: string) => ({ secret: SECRET, env: ENV, providers: [credentials({ id })] });
    const tenants: Record<string, AuthConfig> = {
      "a.example": tenant("a"),
      "b.example": tenant("b"),
    };
    const auth = createAuthWith(housePreset, (request) => tenants[new URL(request!.url).host]!);
    const ids = async (host: string) =>
      Object.keys(
        (await (await auth.fetch(new Request(`https://${host}/auth/providers`))).json()) as object,
      );
    const seen = await Promise.all(["a.example", "b.example", "a.example"].map(ids));
    expect(seen).toEqual([["a"], ["b"], ["a"]]);
  });

  it("that throws is logged and answered by 500; a server verb rejects with it", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const auth = createAuthWith(housePreset, () => {
      throw new Error("no tenant");
    });
    const response = await auth.fetch(new Request(`${ORIGIN}/auth/session`));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("tenant");
    expect(error).toHaveBeenCalledOnce();
    expect(error.mock.calls[0]?.[0]).toContain("no tenant");
    await expect(auth.getSession(new Request(ORIGIN))).rejects.toThrow("no tenant");
    error.mockRestore();
  });

  it("has nothing to inspect", () => {
    const auth = createAuthWith(housePreset, () => ({}));
    expect(() => auth.inspect()).toThrow("for each request");
  });
});

describe("two configurations in one process", () => {
  it("do not leak into one another", async () => {
    const one = createHouse({ providers: [credentials({ id: "one" })], basePath: "/one" });
    const two = createHouse({
      secret: "another-secret-0123456789abcdefgh",
      session: { maxAge: 60 },
    });
    await one.browser.signInWith("one", { username: "ada", password: "lovelace" });
    expect(await one.browser.session()).not.toBeNull();
    for (const [name, value] of one.browser.cookies) two.browser.cookies.set(name, value);
    expect(await two.browser.session()).toBeNull();
    expect(one.kernel().config.session.maxAge).toBe(2_592_000);
    expect(two.kernel().config.session.maxAge).toBe(60);
    expect((await two.auth.handle(new Request(`${ORIGIN}/one/session`))) ?? null).toBeNull();
  });

  it("may share one object of configuration: it is not changed", () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === "object" && value !== null) {
        for (const inner of Object.values(value)) freeze(inner);
        Object.freeze(value);
      }
      return value;
    };
    const log = createLog();
    const config = freeze({
      secret: [SECRET],
      env: { ...ENV },
      providers: [credentials()],
      session: { maxAge: 60 },
      theme: { brandColor: "#123456" },
      cookies: { state: { options: { maxAge: 60 } } },
      logger: log.logger,
    });
    const boots = [createAuthWith(housePreset, config), createAuthWith(housePreset, config)];
    expect(boots.map((auth) => auth.inspect().providers.length)).toEqual([1, 1]);
  });
});

describe("the process's environment", () => {
  it("is read at the first request, not at creation", () => {
    const auth = createAuthWith(housePreset, { secret: SECRET, logger: createLog().logger });
    vi.stubEnv("AUTH_URL", "https://late.example/late");
    expect(auth.inspect().basePath).toBe("/late");
  });

  it("is not read where `env` stands in for it", () => {
    vi.stubEnv("AUTH_URL", "https://process.example/process");
    expect(resolve().basePath).toBe("/auth");
    expect(resolve().origin).toBeUndefined();
  });
});
