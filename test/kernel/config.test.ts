import { afterEach, describe, expect, it, vi } from "vitest";
import { oauthFlow } from "../../plugins/flows/oauth.ts";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { diagnose } from "../../src/auth/diagnose.ts";
import {
  BootError,
  InvalidConfig,
  MissingSecretError,
  UntrustedHost,
} from "../../src/errors/errors.ts";
import {
  type AuthConfig,
  type CookiesOptions,
  createAuthWith,
  type Env,
} from "../../src/kernel.ts";
import {
  createTestAuth,
  createLog,
  credentials,
  ENV,
  testPreset,
  ORIGIN,
  SECRET,
} from "../_app.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Resolves a configuration, and returns it with the logged warnings. */
function resolve(config: AuthConfig = {}) {
  const { kernel, log } = createTestAuth({ ...config, use: [oauthFlow(), rateLimit(false)] });
  return { ...kernel().config, warnings: log.warnings };
}

/** Lists the boot faults of a configuration. */
function faultsOf(config: AuthConfig): (Error & { type?: string })[] {
  const { auth, log } = createTestAuth({ ...config, use: [oauthFlow(), rateLimit(false)] });
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

describe("env", () => {
  it.each([
    ["AUTH_SECRET", { get: async () => SECRET }, "an object"],
    ["AUTH_URL", ["https://app.example"], "an array"],
    ["AUTH_TRUST_HOST", true, "a boolean"],
    ["NEXTAUTH_URL", () => "https://app.example", "a function"],
  ])("a variable %s that is not text is a separate fault", (name, value, type) => {
    const faults = faultsOf({ env: { ...ENV, [name]: value } as never });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toBeInstanceOf(InvalidConfig);
    expect(faults[0]?.message).toContain(
      `\`env.${name}\` is ${type}, but a variable must be a string.`,
    );
  });

  it("other bindings of a Worker are not faults, and neither is an unset variable", () => {
    const bound = { DB: {}, AUTH_DB: { prepare() {} }, AUTH_GITHUB_ID: undefined, AUTH_URL: null };
    expect(faultsOf({ env: { ...ENV, ...bound } as never })).toEqual([]);
  });
});

describe("trustHost", () => {
  it("trustHost is on outside production and off in production", () => {
    expect(trust({ NODE_ENV: "development" })).toBe(true);
    expect(trust({ NODE_ENV: "test" })).toBe(true);
    expect(trust({ OTHER: "1" })).toBe(true);
    const [fault] = faultsOf({ env: production });
    expect(fault).toBeInstanceOf(UntrustedHost);
    expect(fault?.message).toMatch(/ This is production \(NODE_ENV=production\)\.$/);
  });

  it("trustHost is off without any environment: an edge runtime counts as production", () => {
    expect(faultsOf({ env: {} })[0]).toBeInstanceOf(UntrustedHost);
  });

  it.each(["AUTH_URL", "NEXTAUTH_URL"])("a %s that is not a URL is the only fault", (name) => {
    for (const value of ["app.example.com", "https://", "ftp://app.example.com"]) {
      expect(faultsOf({ env: { ...production, [name]: value } }).map(String)).toEqual([
        `InvalidConfig: ${name} must be an http(s) URL, such as https://app.example.com.`,
      ]);
    }
  });

  it.each(["true", "1", "yes", "on", "TRUE", " true "])(
    "trustHost is on for AUTH_TRUST_HOST=%j",
    (value) => {
      expect(trust({ ...production, AUTH_TRUST_HOST: value })).toBe(true);
    },
  );

  it.each(["false", "0", "no", "off", "False"])(
    "trustHost is off for AUTH_TRUST_HOST=%j",
    (value) => {
      expect(faultsOf({ env: { ...ENV, AUTH_TRUST_HOST: value } })[0]).toBeInstanceOf(
        UntrustedHost,
      );
    },
  );

  it("an empty AUTH_TRUST_HOST counts as unset", () => {
    expect(trust({ ...ENV, AUTH_TRUST_HOST: "" })).toBe(true);
    expect(faultsOf({ env: { ...production, AUTH_TRUST_HOST: "" } })).toHaveLength(1);
  });

  it("any other AUTH_TRUST_HOST is a fault that names the variable", () => {
    const [fault] = faultsOf({ env: { ...ENV, AUTH_TRUST_HOST: "maybe" } });
    expect(fault).toBeInstanceOf(InvalidConfig);
    expect(fault?.message).toContain("AUTH_TRUST_HOST must be true or false");
  });

  it("trustHost is on for platforms that are known to set the host", () => {
    expect(trust({ ...production, VERCEL: "1" })).toBe(true);
    expect(trust({ ...production, CF_PAGES: "1" })).toBe(true);
  });

  it("AUTH_URL turns trustHost on, whatever AUTH_TRUST_HOST is: the origin is known", () => {
    const env = { ...production, AUTH_URL: "https://app.example", AUTH_TRUST_HOST: "false" };
    expect(trust(env)).toBe(true);
  });

  it("the trustHost option takes precedence over all variables", () => {
    const env = { ...production, AUTH_TRUST_HOST: "true" };
    expect(faultsOf({ env, trustHost: false })[0]).toBeInstanceOf(UntrustedHost);
    expect(trust(production, { trustHost: true })).toBe(true);
    expect(trust(production, { trustHost: ["a.example"] })).toEqual(["a.example"]);
  });

  it("trustHost of null or undefined counts as unset", () => {
    expect(trust(ENV, { trustHost: undefined as never })).toBe(true);
    expect(trust(ENV, { trustHost: null as never })).toBe(true);
  });
});

describe("basePath", () => {
  const basePath = (config: AuthConfig) => resolve(config).basePath;

  it("basePath is normalized to one leading slash and no trailing slash", () => {
    expect(basePath({ basePath: "/api/auth/" })).toBe("/api/auth");
    expect(basePath({ basePath: "api/auth" })).toBe("/api/auth");
    expect(basePath({ basePath: "/" })).toBe("");
    expect(basePath({ basePath: "" })).toBe("");
  });

  it("basePath may have every character of a plain path", () => {
    const path = "/API-v1.0_~/!$&'()*+,;=:@%20";
    expect(basePath({ basePath: path })).toBe(path);
  });

  it("basePath is the path of AUTH_URL when it has one", () => {
    const at = (AUTH_URL: string) => basePath({ env: { ...ENV, AUTH_URL } });
    expect(at("https://app.example/api/auth")).toBe("/api/auth");
    expect(at("https://app.example/api/auth/")).toBe("/api/auth");
    expect(at("https://app.example")).toBe("/auth");
    expect(at("https://app.example/")).toBe("/auth");
  });

  it("the basePath option takes precedence over the path of AUTH_URL, with a warning", () => {
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

  it.each(["AUTH_URL", "NEXTAUTH_URL"])(
    "the warning about a basePath option and another path in %s names this variable",
    (name) => {
      const env = { ...ENV, [name]: "https://app.example/one" };
      const details = ["/one", "/two"].flatMap((basePath) =>
        diagnose(createTestAuth({ env, basePath }).auth).warnings.map(({ detail }) => detail),
      );
      expect(details.filter((detail) => detail.includes(`path of ${name}`))).toHaveLength(2);
    },
  );

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
  ])("basePath %j is a fault", (given) => {
    expect(faultsOf({ basePath: given })[0]?.message).toContain("must be a plain path");
  });
});

describe("session.maxAge, session.updateAge and jwt.maxAge", () => {
  const seconds = (session: object) => resolve({ session }).session;

  it("session.maxAge and updateAge are rounded down to whole seconds", () => {
    expect(seconds({ maxAge: 90.9, updateAge: 30.5 })).toMatchObject({ maxAge: 90, updateAge: 30 });
  });

  it("session.updateAge may be zero, session.maxAge may not", () => {
    expect(seconds({ updateAge: 0 })).toMatchObject({ updateAge: 0 });
    expect(faultsOf({ session: { maxAge: 0 } })[0]?.message).toContain("session.maxAge");
  });

  it("session.maxAge and updateAge keep their defaults for undefined and null", () => {
    expect(seconds({ maxAge: undefined, updateAge: null })).toMatchObject({
      maxAge: 2_592_000,
      updateAge: 86_400,
    });
  });

  it.each([[-1], [Number.NaN], [Infinity], ["60"], [Number.MAX_SAFE_INTEGER]])(
    "session.maxAge and jwt.maxAge of %j are faults: no date can be computed from it",
    (value) => {
      expect(faultsOf({ session: { maxAge: value as number } })[0]).toBeInstanceOf(InvalidConfig);
      expect(faultsOf({ jwt: { maxAge: value as number } })[0]).toBeInstanceOf(InvalidConfig);
    },
  );
});

describe("secret", () => {
  it("a missing secret is warned about once outside production", async () => {
    const { browser, log } = createTestAuth({ secret: "" });
    await browser.session();
    await browser.session();
    expect(log.warnings).toEqual(["secret-missing"]);
  });

  it("a missing secret is a fault in production", () => {
    const env = { NODE_ENV: "production", AUTH_URL: "https://app.example" };
    for (const secret of [undefined, "", [], [""]]) {
      expect(faultsOf({ env, secret: secret as never })[0]).toBeInstanceOf(MissingSecretError);
    }
  });

  it("a missing secret is replaced with a random one for each Auth", () => {
    const one = createTestAuth({ secret: "" }).kernel().config.secret;
    const two = createTestAuth({ secret: "" }).kernel().config.secret;
    expect(one[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(one).not.toEqual(two);
  });

  const PRODUCTION = { NODE_ENV: "production", AUTH_URL: "https://app.example" };
  const GOOD = "0123456789abcdef0123456789abcdef";
  const REFUSED: [what: string, secret: string][] = [
    ["15 characters", GOOD.slice(0, 15)],
    ["one character", "x"],
    ["one character, repeated", "a".repeat(64)],
    ["only blanks", " ".repeat(64)],
    ["15 characters with blanks around them", ` ${GOOD.slice(0, 15)}${"\n".repeat(20)}`],
  ];

  it("a secret of fewer than 32 characters is warned about", () => {
    const warn = vi.fn<(code: string, detail?: string) => void>();
    resolve({ secret: GOOD.slice(1), logger: { warn } });
    expect(warn.mock.calls).toEqual([
      [
        "secret-short",
        "`secret` has 31 characters. Set it to at least 32 random characters: npx keyhook secret.",
      ],
    ]);
    expect(resolve({ secret: GOOD }).warnings).toEqual([]);
  });

  it("a secret of 16 to 31 characters is warned about in production too, and works", () => {
    for (const length of [16, 31]) {
      const secret = GOOD.slice(0, length);
      expect(resolve({ env: PRODUCTION, secret }).warnings).toEqual(["secret-short"]);
    }
    expect(resolve({ env: PRODUCTION, secret: GOOD }).warnings).toEqual([]);
  });

  it.each(REFUSED)("a secret of %s is refused in production, wherever it is set", (_, secret) => {
    const env = PRODUCTION;
    const settings: [name: string, config: AuthConfig][] = [
      ["`secret`", { env, secret }],
      ["`secret[1]`", { env, secret: [GOOD, secret] }],
      ["`jwt.secret`", { env, secret: GOOD, jwt: { secret } }],
      ["`jwt.secret[1]`", { env, secret: GOOD, jwt: { secret: [GOOD, secret] } }],
      ["AUTH_SECRET", { env: { ...env, AUTH_SECRET: secret }, secret: "" }],
      ["AUTH_SECRET_1", { env: { ...env, AUTH_SECRET: GOOD, AUTH_SECRET_1: secret }, secret: "" }],
      ["NEXTAUTH_SECRET", { env: { ...env, NEXTAUTH_SECRET: secret }, secret: "" }],
    ];
    for (const [name, config] of settings) {
      const faults = faultsOf(config);
      expect(faults.map(({ type }) => type)).toEqual(["InvalidConfig"]);
      expect(faults[0]?.message).toMatch(name);
      expect(faults[0]?.message).toContain("npx keyhook secret");
      if (secret.length > 1) expect(faults[0]?.message).not.toContain(secret);
    }
  });

  it.each(REFUSED)("boot warns of a secret of %s in development", (_, secret) => {
    const details: string[] = [];
    const logger = {
      warn: (code: string, detail?: string) => void details.push(`${code} ${detail}`),
    };
    resolve({ secret, jwt: { secret: [GOOD, secret] }, logger });
    expect(details).toHaveLength(2);
    for (const [at, name] of ["`secret`", "`jwt.secret[1]`"].entries()) {
      expect(details[at]).toMatch(/^secret-(?:short|weak) /);
      expect(details[at]).toContain(name);
      expect(details[at]).toContain("Production refuses it");
    }
  });

  it("a secret that is not text is a fault, in development too", () => {
    for (const secret of [1, {}, true, () => GOOD]) {
      expect(faultsOf({ secret } as never)[0]?.message).toContain("`secret` must be text");
      expect(faultsOf({ jwt: { secret: [GOOD, secret] } } as never)[0]?.message).toContain(
        "`jwt.secret[1]` must be text",
      );
    }
  });

  it("several secrets keep their order, without the empty ones", () => {
    const [one, two] = [`1${GOOD}`, `2${GOOD}`];
    expect(resolve({ secret: [one, "", two] }).secret).toEqual([one, two]);
  });
});

describe("other options", () => {
  it("an unknown option is warned about", () => {
    expect(resolve({ raw: true, session: { rolling: true } } as never).warnings).toEqual([
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

  it("redirectProxyUrl that is not a full URL is one fault, however many providers there are", () => {
    const [one, other] = ["one", "other"].map((id) => ({
      ...{ id, name: id, type: "oauth" as const, clientId: "id", clientSecret: "secret" },
      authorization: "https://idp.example/authorize",
      token: "https://idp.example/token",
      userinfo: "https://idp.example/userinfo",
    }));
    const query = "https://proxy.example/auth?to=app";
    for (const redirectProxyUrl of ["/auth", "proxy.example", "ftp://proxy.example/auth", query]) {
      const faults = faultsOf({ redirectProxyUrl, providers: [one!, other!] });
      expect(faults.map(({ message }) => message)).toEqual([
        expect.stringContaining("redirectProxyUrl"),
      ]);
    }
  });

  it.each(["login", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", 1])(
    "pages.signIn of %j is a fault",
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

  it.each(["a b", "a;b", "a=b", "é", "a,b", ""])("cookie name %j is a fault", (name) => {
    const [fault] = faultsOf({ cookies: { state: { name } } });
    expect(fault?.message).toContain("`cookies.state`: the name is not valid");
  });

  it("a __Host- cookie with a domain or another path is a fault, because browsers drop it", () => {
    const name = "__Host-x";
    for (const options of [{ domain: "app.example" }, { path: "/auth" }]) {
      const [fault] = faultsOf({ cookies: { csrfToken: { name, options } } });
      expect(fault?.message).toContain("a __Host- cookie has no domain");
    }
    expect(faultsOf({ cookies: { csrfToken: { name, options: { path: "/" } } } })).toEqual([]);
  });

  it.each(["__host-x", "__HOST-x", "__Host-Http-x"])(
    "a cookie named %s with another path is a fault, because browsers ignore the case of the prefix",
    (name) => {
      const options = { path: "/auth" };
      const [fault] = faultsOf({ cookies: { csrfToken: { name, options } } });
      expect(fault?.message).toContain("a __Host- cookie has no domain");
    },
  );

  it.each(["__Http-x", "__Host-Http-x", "__http-x"])(
    "a cookie named %s that scripts may read is a fault, because browsers drop it",
    (name) => {
      const [fault] = faultsOf({ cookies: { csrfToken: { name, options: { httpOnly: false } } } });
      expect(fault?.message).toContain("must be HttpOnly");
      expect(faultsOf({ cookies: { csrfToken: { name } } })).toEqual([]);
    },
  );

  it.each([
    [
      "one name for two purposes (R3)",
      { state: { name: "x" }, nonce: { name: "x" } },
      '`cookies.nonce` and `cookies.state`: the names "x" and "x" collide',
    ],
    [
      "a name that is a chunk of another",
      { state: { name: "x.1" }, nonce: { name: "x" } },
      '`cookies.state` and `cookies.nonce`: the names "x.1" and "x" collide',
    ],
    ["a reserved name", { state: { name: "encodedState" } }, 'the name "encodedState" is reserved'],
    ["a broken age", { state: { options: { maxAge: 1.5 } } }, "whole number"],
    [
      "SameSite=None without Secure",
      { state: { name: "state", options: { sameSite: "none", secure: false } } },
      "SameSite=None requires `secure: true`",
    ],
    [
      "a name prefix whose attributes are missing",
      { state: { options: { secure: false } } },
      "must be secure",
    ],
    [
      "such a prefix in small letters",
      { state: { name: "__secure-x", options: { secure: false } } },
      "must be secure",
    ],
    [
      "the prefix __Http- without Secure",
      { state: { name: "__Http-x", options: { secure: false } } },
      "must be secure",
    ],
    [
      "Partitioned without Secure",
      { state: { name: "state", options: { partitioned: true, secure: false } } },
      "Partitioned requires `secure: true`",
    ],
  ] as const)("cookies with %s are a fault", (_, cookies, text) => {
    expect(faultsOf({ cookies: cookies as CookiesOptions })[0]?.message).toContain(text);
  });

  it("an option of a wrong type is logged as a fault and never thrown at the visitor", async () => {
    for (const config of [{ basePath: 1 }, { secret: 1 }, { trustHost: "yes" }, { cookies: [1] }]) {
      const { browser, log } = createTestAuth(config as never);
      const response = await browser.get("/auth/session");
      const fine = response.status === 200;
      expect([fine, log.errors.length > 0], JSON.stringify(config)).toEqual([fine, !fine]);
      log.errors.length = 0;
    }
  });
});

const httpOnlyFault = /^`cookies\.(\w+)`: with `httpOnly: false`, every script/;

describe("cookie attributes that expose a session, or never work", () => {
  const of = (key: string, options: object) => ({
    cookies: { [key]: { options } } as CookiesOptions,
  });

  it.each(["sessionToken", "pendingLogin", "pkceCodeVerifier", "state", "nonce"])(
    "httpOnly: false on the cookie %s is a fault, in development too",
    (key) => {
      for (const httpOnly of [false, null, 0]) {
        const faults = faultsOf(of(key, { httpOnly }));
        expect(faults.map(({ message }) => httpOnlyFault.exec(message)?.[1])).toEqual([key]);
      }
      expect(faultsOf(of(key, { httpOnly: undefined }))).toEqual([]);
    },
  );

  it("httpOnly: false is allowed for the CSRF token and the callback URL, which give no access", () => {
    for (const key of ["csrfToken", "callbackUrl"]) {
      expect(faultsOf(of(key, { httpOnly: false }))).toEqual([]);
    }
  });

  it.each([
    "",
    " ",
    "https://app.example",
    "app.example:3000",
    "app.example/",
    "app example",
    "app..example",
    "app.example.",
    "a;b",
    "app.example\r\nx: y",
    "*.app.example",
    "ápp.example",
    7,
    null,
  ])("the cookie domain %j is a fault", (domain) => {
    const [fault, more] = faultsOf(of("sessionToken", { domain }));
    expect(fault?.message).toContain("`cookies.sessionToken`: `domain` must be only a host name");
    expect(more).toBeUndefined();
  });

  it.each([
    "9.9.example",
    "_.a_b-1_.example",
    "ab1.a_b-1_.ab.b2",
    "a-b_c1d_.9x._y.z",
    ".localhost",
  ])("the cookie domain %s is a host name", (domain) => {
    expect(faultsOf(of("sessionToken", { domain }))).toEqual([]);
  });

  it("a cookie domain that does not cover the public URL is a fault", () => {
    const env = { ...ENV, AUTH_URL: "https://app.corp.example" };
    const others = ["other.example", "pp.corp.example", "deep.app.corp.example", "example"];
    for (const domain of [...others, "app.corp", "corp.exam"]) {
      const [fault] = faultsOf({ env, ...of("sessionToken", { domain }) });
      expect(fault?.message).toContain(`the domain ${domain} does not cover`);
    }
    for (const domain of ["app.corp.example", ".corp.example", "CORP.example"]) {
      expect(faultsOf({ env, ...of("sessionToken", { domain }) })).toEqual([]);
    }
  });

  it.each(["", "auth", "/a;b", "/a\r\nx: y", "/é", "https://app.example/", 7, null])(
    "the cookie path %j is a fault",
    (path) => {
      const [fault] = faultsOf(of("sessionToken", { path }));
      expect(fault?.message).toContain('`cookies.sessionToken`: `path` must start with "/"');
    },
  );

  it("a cookie path that the routes never receive is a fault", () => {
    for (const path of ["/app", "/authority", "/aut"]) {
      const [fault] = faultsOf(of("state", { path }));
      expect(fault?.message).toContain(`the path ${path} does not cover the base path /auth`);
    }
    for (const path of ["/", "/auth", "/auth/", "/auth/callback"]) {
      expect(faultsOf(of("state", { path }))).toEqual([]);
    }
  });

  it("secure: false is a fault on an https origin in production, also without a name prefix", () => {
    const env = { ...production, AUTH_URL: "https://app.example" };
    const cookies = { sessionToken: { name: "sid", options: { secure: false } } };
    expect(faultsOf({ env, cookies })[0]?.message).toContain("with `secure: false`");
    expect(faultsOf({ env: { ...env, NODE_ENV: "development" }, cookies })).toEqual([]);
    expect(faultsOf({ env: { ...env, AUTH_URL: "http://localhost:3000" }, cookies })).toEqual([]);
    const readable = { csrfToken: { name: "csrf", options: { secure: false } } };
    expect(faultsOf({ env, cookies: readable })).toEqual([]);
  });
});

describe("plain http", () => {
  const at = (AUTH_URL: string, config: AuthConfig = {}) => ({
    env: { ...production, AUTH_URL },
    ...config,
  });
  const PUBLIC = [
    "http://app.example",
    "http://app.example.:8080/auth",
    "http://203.0.113.7",
    "http://172.32.0.1",
    "http://100.128.0.1",
    "http://[2001:db8::1]:3000",
    "http://[64:ff9b::203.0.113.7]",
    "http://[2002:cb00:7107::1]",
    "http://localhost.example",
    "http://10.example.com",
  ];
  const PRIVATE = [
    "http://localhost:3000",
    "http://app.localhost",
    "http://127.0.0.1",
    "http://[::1]:3000",
    "http://10.1.2.3",
    "http://172.16.0.1",
    "http://192.168.0.1:8080",
    "http://100.64.0.1",
    "http://169.254.1.1",
    "http://[fd00::1]",
    "http://[fe80::1]",
    "http://[64:ff9b::10.1.2.3]",
    "http://[64:ff9b::10.0.0.0]",
    "http://[64:ff9b::127.0.0.1]",
    "http://[64:ff9b::0.0.0.5]",
    "http://[64:ff9b::]",
    "http://[64:ff9b:1::203.0.113.7]",
    "http://[2002:a01:203::1]",
    "http://[2002:a00::1]",
    "http://[2002:7f00:1::]",
    "http://[2002::1]",
    "http://intranet",
    "http://app.internal",
    "http://printer.local",
    "http://nas.home.arpa",
  ];

  it.each(PUBLIC)("AUTH_URL=%s is a fault in production, but not in development", (url) => {
    const [fault, more] = faultsOf(at(url));
    expect(fault?.message).toContain("AUTH_URL is plain http on a public host");
    expect(more).toBeUndefined();
    expect(faultsOf({ env: { ...ENV, AUTH_URL: url } })).toEqual([]);
  });

  it.each(PRIVATE)(
    "AUTH_URL=%s is accepted in production: loopback or a private network",
    (url) => {
      expect(faultsOf(at(url))).toEqual([]);
    },
  );

  it("production warns if AUTH_URL is this machine, because all visitors would be redirected to their own", () => {
    for (const url of ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:3000/auth"]) {
      expect(resolve(at(url)).warnings, url).toEqual(["env-url-loopback"]);
      expect(resolve({ env: { ...ENV, AUTH_URL: url } }).warnings, url).toEqual([]);
    }
    expect(resolve(at("http://10.0.0.7:3000")).warnings).toEqual([]);
  });

  it("the warning names NEXTAUTH_URL if that sets the public URL", () => {
    const env = { ...production, NEXTAUTH_URL: "http://app.example" };
    expect(faultsOf({ env })[0]?.message).toContain("NEXTAUTH_URL is plain http");
  });

  it("`useSecureCookies: false` declares that plain http is intended, and a warning remains", () => {
    const config = at("http://app.example", { useSecureCookies: false });
    expect(resolve(config).warnings).toEqual(["origin-not-secure"]);
    expect(faultsOf(at("http://app.example", { useSecureCookies: true }))).toHaveLength(1);
  });

  it("boot warns of `useSecureCookies: true` on an http origin, where browsers drop the cookies", () => {
    for (const url of ["http://localhost:3000", "http://192.168.0.2:3000", "https://app.example"]) {
      const env = { ...ENV, AUTH_URL: url };
      const expected = url.startsWith("http:") ? ["cookies-not-accepted"] : [];
      expect(resolve({ env, useSecureCookies: true }).warnings, url).toEqual(expected);
      expect(resolve({ env }).warnings, url).toEqual([]);
    }
  });

  it("`useSecureCookies: false` is a fault on an https origin in production", () => {
    const config = at("https://app.example", { useSecureCookies: false });
    expect(faultsOf(config)[0]?.message).toContain("with the https origin of AUTH_URL");
    const env = { ...ENV, AUTH_URL: "https://app.example" };
    expect(faultsOf({ env, useSecureCookies: false })).toEqual([]);
  });

  it("production warns of `useSecureCookies: false` if each request determines the origin", () => {
    const config = { env: production, trustHost: ["app.example"], useSecureCookies: false };
    expect(resolve(config).warnings).toEqual(["cookies-not-secure"]);
  });

  it.each(PUBLIC)("redirectProxyUrl %s is a fault, in development too", (redirectProxyUrl) => {
    for (const env of [ENV, { ...production, AUTH_URL: "https://app.example" }]) {
      expect(faultsOf({ env, redirectProxyUrl })[0]?.message).toContain(
        "`redirectProxyUrl` is plain http",
      );
    }
    const env = { ...ENV, AUTH_REDIRECT_PROXY_URL: redirectProxyUrl };
    expect(faultsOf({ env })[0]?.message).toContain("`redirectProxyUrl` is plain http");
  });

  it.each(PRIVATE)("redirectProxyUrl %s is accepted", (redirectProxyUrl) => {
    expect(faultsOf({ redirectProxyUrl })).toEqual([]);
  });
});

describe("boot faults", () => {
  it("all boot faults are reported together, each with its fix", async () => {
    const config: AuthConfig = {
      env: { NODE_ENV: "production", AUTH_URL: "nonsense" },
      secret: "",
      basePath: "/a b",
      session: { maxAge: -1, strategy: "carrier-pigeon" },
      providers: [credentials(), credentials()],
      pages: { error: "nowhere" },
    };
    const { auth, log } = createTestAuth(config);
    expect(() => auth.inspect()).toThrow(BootError);
    const [boot] = log.expectErrors("BootError") as unknown as BootError[];
    expect(boot?.faults.map(({ type, message }) => `${type}: ${message}`)).toMatchInlineSnapshot(`
      [
        "InvalidConfig: Two providers have the id "credentials". Set another \`id\` on one of them.",
        "InvalidConfig: AUTH_URL must be an http(s) URL, such as https://app.example.com.",
        "InvalidConfig: session.maxAge must be a number of seconds, from 1 to 315576000 (10 years).",
        "MissingSecret: No secret. Set AUTH_SECRET (or \`secret\`) to at least 32 random characters: npx keyhook secret. This is production (NODE_ENV=production).",
        "InvalidConfig: \`pages.error\` must start with "/" or be an http(s) URL.",
        "InvalidConfig: \`basePath\` must be a plain path such as /auth.",
        "UnsupportedStrategy: No plugin provides the session strategy "carrier-pigeon" (registered: jwt). Set \`session.strategy\` to one of these, or use its plugin: keyhook/strategies/jwt, /database or /hybrid.",
      ]
    `);
  });

  it("boot faults are logged once and fail every request", async () => {
    const { browser, auth, log } = createTestAuth({ pages: { error: "nowhere" } });
    for (const path of ["/auth/session", "/auth/csrf"]) {
      const response = await browser.get(path, { headers: { accept: "application/json" } });
      expect(response.status).toBe(500);
      expect(JSON.stringify(await response.json())).not.toContain("pages");
    }
    await expect(auth.getSession(new Request(ORIGIN))).rejects.toThrow(InvalidConfig);
    log.expectErrors("InvalidConfig");
  });

  it("a browser gets a page for boot faults that does not describe them", async () => {
    const { browser, log } = createTestAuth({ pages: { error: "nowhere" } });
    const response = await browser.get("/auth/signin");
    expect(response.status).toBe(500);
    expect(response.headers.get("content-type")).toContain("text/html");
    const html = await response.text();
    expect(html).toContain("misconfigured");
    expect(html).not.toContain("nowhere");
    log.expectErrors("InvalidConfig");
  });
});

describe("configuration as a function of the request", () => {
  it("the configuration function receives the request, and its promise is awaited", async () => {
    const source = vi.fn(async () => ({ secret: SECRET, env: ENV, providers: [credentials()] }));
    const auth = createAuthWith(testPreset, source);
    const request = new Request(`${ORIGIN}/auth/providers`);
    const response = await auth.fetch(request);
    expect(Object.keys((await response.json()) as object)).toEqual(["credentials"]);
    expect(source).toHaveBeenCalledExactlyOnceWith(request);
  });

  it("Auth boots once for each configuration", async () => {
    const setup = vi.fn();
    const shared = { secret: SECRET, env: ENV };
    let config: AuthConfig = shared;
    const auth = createAuthWith(testPreset, () => config).use({ name: "counted", setup });
    const ask = () => auth.fetch(new Request(`${ORIGIN}/auth/session`));
    await ask();
    await ask();
    expect(setup).toHaveBeenCalledTimes(1);
    config = { ...shared };
    await ask();
    expect(setup).toHaveBeenCalledTimes(1);
    config = { ...shared, basePath: "/other" };
    await ask();
    expect(setup).toHaveBeenCalledTimes(2);
    config = shared;
    await ask();
    expect(setup).toHaveBeenCalledTimes(2);
  });

  it("the configuration function may return other providers for each host", async () => {
    const tenant = (id: string) => ({ secret: SECRET, env: ENV, providers: [credentials({ id })] });
    const tenants: Record<string, AuthConfig> = {
      "a.example": tenant("a"),
      "b.example": tenant("b"),
    };
    const auth = createAuthWith(testPreset, (request) => tenants[new URL(request!.url).host]!);
    const ids = async (host: string) =>
      Object.keys(
        (await (await auth.fetch(new Request(`https://${host}/auth/providers`))).json()) as object,
      );
    const seen = await Promise.all(["a.example", "b.example", "a.example"].map(ids));
    expect(seen).toEqual([["a"], ["b"], ["a"]]);
  });

  it("a configuration function that throws is logged as a 503, and getSession() rejects with its error", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const auth = createAuthWith(testPreset, () => {
      throw new Error("no tenant");
    });
    const response = await auth.fetch(new Request(`${ORIGIN}/auth/session`));
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("tenant");
    expect(error).toHaveBeenCalledOnce();
    expect(error.mock.calls[0]?.[0]).toContain("no tenant");
    await expect(auth.getSession(new Request(ORIGIN))).rejects.toThrow("no tenant");
    const headers = { accept: "text/html" };
    const page = await auth.fetch(new Request(`${ORIGIN}/auth/signin`, { headers }));
    expect(page.status).toBe(503);
    expect(await page.text()).toContain("Try again in a moment");
    error.mockRestore();
  });

  it("a configuration function that does not return within 10 seconds is a 503, and the next request calls it again", async () => {
    vi.useFakeTimers();
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      const source = vi.fn(async (): Promise<AuthConfig> => ({ secret: SECRET, trustHost: true }));
      source.mockReturnValueOnce(new Promise(() => {}));
      const auth = createAuthWith(testPreset, source);
      const pending = auth.fetch(new Request(`${ORIGIN}/auth/session`));
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await pending).status).toBe(503);
      expect(error.mock.calls[0]?.[0]).toContain("The configuration function");
      expect((await auth.fetch(new Request(`${ORIGIN}/auth/session`))).status).toBe(200);
    } finally {
      error.mockRestore();
      vi.useRealTimers();
    }
  });

  it("a configuration function is called once for all calls with the same request, and again after it threw", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    const source = vi.fn(async (): Promise<AuthConfig> => ({ secret: SECRET, trustHost: true }));
    source.mockRejectedValueOnce(new Error("no tenant"));
    const auth = createAuthWith(testPreset, source);
    const request = new Request(`${ORIGIN}/page`);
    await expect(auth.getSession(request)).rejects.toThrow("no tenant");
    expect(await auth.handle(request)).toBeUndefined();
    expect(await Promise.all([auth.getSession(request), auth.csrfToken(request)])).toHaveLength(2);
    expect(source).toHaveBeenCalledTimes(2);
    await auth.getSession(new Request(request));
    expect(source).toHaveBeenCalledTimes(3);
    error.mockRestore();
  });

  it("inspect() throws when the configuration is a function", () => {
    const auth = createAuthWith(testPreset, () => ({}));
    expect(() => auth.inspect()).toThrow(
      "`inspect` has no request to pass to the configuration function.",
    );
  });
});

describe("two configurations in one process", () => {
  it("two configurations in one process share neither sessions nor settings nor paths", async () => {
    const one = createTestAuth({ providers: [credentials({ id: "one" })], basePath: "/one" });
    const two = createTestAuth({
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

  it("two Auths may share a frozen configuration object: it is never modified", () => {
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
    const boots = [createAuthWith(testPreset, config), createAuthWith(testPreset, config)];
    expect(boots.map((auth) => auth.inspect().providers.length)).toEqual([1, 1]);
  });
});

describe("process.env", () => {
  it("process.env is read at the first request, not at creation", () => {
    const auth = createAuthWith(testPreset, { secret: SECRET, logger: createLog().logger });
    vi.stubEnv("AUTH_URL", "https://late.example/late");
    expect(auth.inspect().basePath).toBe("/late");
  });

  it("process.env is not read when `env` is configured", () => {
    vi.stubEnv("AUTH_URL", "https://process.example/process");
    expect(resolve().basePath).toBe("/auth");
    expect(resolve().origin).toBeUndefined();
  });
});
