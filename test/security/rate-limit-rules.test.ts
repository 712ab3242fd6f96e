import { describe, expect, it, vi } from "vitest";
import { credentialsFlow } from "../../plugins/flows/credentials.ts";
import { emailFlow } from "../../plugins/flows/email.ts";
import {
  createLimiter,
  rateLimit,
  type RateLimitOptions,
} from "../../plugins/security/rate-limit.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import { standardPreset } from "../../presets/standard.ts";
import { AdapterError, StoreError } from "../../src/errors.ts";
import type { AuthContext, Plugin, ProviderBase, Route } from "../../src/kernel.ts";
import { createAuthWith, defineFlow } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing/testing.ts";
import { createClock } from "../../src/testing/testing.ts";
import { credentials, listBootFaults, ORIGIN, SECRET } from "../_app.ts";
import { client, createLimitApp, HERE, isLocked, THERE } from "./_limits.ts";

describe("rules of the application", () => {
  it("a rule with the name of a default changes that default, and others stay", async () => {
    const app = createLimitApp({ use: [rateLimit({ rules: { credentials: { max: 2 } } })] });
    await app.fail(app.from(HERE), 2);
    expect(isLocked(await app.attempt(app.from(HERE)))).toBe(true);
    for (let at = 0; at < 18; at++) await app.fail(app.from(client(at)), 1);
    expect(isLocked(await app.attempt(app.from(THERE)))).toBe(true);
  });

  it("`false` drops a default, and undefined values change nothing", async () => {
    const rules = { credentials: false, "credentials-account": { max: 30, window: undefined } };
    const app = createLimitApp({ use: [rateLimit({ rules } as unknown as RateLimitOptions)] });
    await app.fail(app.from(HERE), 30);
    expect(app.authorize).toHaveBeenCalledTimes(30);
    expect(isLocked(await app.attempt(app.from(HERE)))).toBe(true);
  });

  it.each([
    ["use", { use: [rateLimit(false)] }],
    ["plugins", { plugins: [rateLimit(false)] }],
  ])("rateLimit(false) in `%s` takes the preset's place and limits nothing", async (_, options) => {
    const app = createLimitApp(options);
    await app.fail(app.from(HERE), 60);
    expect(await app.attempt(app.from(HERE))).toEqual({});
    expect(app.authorize).toHaveBeenCalledTimes(61);
    const { plugins, store, hooks } = app.auth.inspect();
    expect(plugins.filter(({ name }) => name === "security/rate-limit")).toHaveLength(1);
    expect(store.namespaces.map(({ namespace }) => namespace)).not.toContain("rate-limit");
    expect(hooks.error?.taps.map(({ name }) => name)).not.toContain("rate-limit");
  });

  it("an attempt that a rule refuses does not count for earlier rules", async () => {
    const rule = { route: "POST /callback/:provider", window: 60 };
    const rules = {
      credentials: false,
      "credentials-account": false,
      "credentials-client": false,
      clients: { ...rule, by: "client", max: 2 },
      accounts: { ...rule, by: "account", max: 1 },
    } as const;
    const app = createLimitApp({ use: [rateLimit({ rules })] });
    const browser = app.from(HERE);
    await app.fail(browser, 1);
    expect(isLocked(await app.attempt(browser))).toBe(true);
    await app.fail(browser, 1, "eve");
    expect(app.authorize).toHaveBeenCalledTimes(2);
    expect(isLocked(await app.attempt(browser, { username: "eve", password: "no" }))).toBe(true);
  });

  it("a plugin with the same capability replaces the preset's plugin", () => {
    const own = { name: "own-limits", provides: ["rate-limit"], setup() {} };
    const names = createLimitApp({ use: [own] })
      .auth.inspect()
      .plugins.map(({ name }) => name);
    expect(names).toContain("own-limits");
    expect(names).not.toContain("security/rate-limit");
  });

  it("two calls of rateLimit() are a finding that names both", () => {
    const app = createLimitApp({ use: [rateLimit(), rateLimit(false)], errors: "allowed" });
    expect(() => app.auth.inspect()).toThrow(/security\/rate-limit/);
  });

  it("a rule for one provider does not affect others", async () => {
    const provider = (id: string) => ({ ...credentials({ authorize: () => null }), id });
    const app = createLimitApp({
      providers: [provider("staff"), provider("guests")],
      use: [
        rateLimit({
          rules: {
            staff: {
              route: "POST /callback/:provider",
              provider: "staff",
              by: "account+client",
              max: 1,
              window: 60,
            },
          },
        }),
      ],
    });
    const browser = app.from(HERE);
    const sign = async (id: string) =>
      (await browser.signInWith(id, { username: "ada", password: "no" })).headers.get("location");
    await sign("staff");
    expect(await sign("staff")).toContain("rate_limited");
    await sign("guests");
    expect(await sign("guests")).toContain("code=credentials");
  });
});

describe("the account of credentials", () => {
  const declare = (fields: Record<string, { type?: string }>, options: RateLimitOptions = {}) =>
    createLimitApp({
      providers: [credentials({ credentials: fields, authorize: () => null })],
      use: [rateLimit({ ...options, rules: { credentials: { max: 1 }, ...options.rules } })],
    });
  const areOne = async (
    app: ReturnType<typeof createLimitApp>,
    one: Record<string, string>,
    other: Record<string, string>,
  ) => {
    await app.attempt(app.from(HERE), one);
    return isLocked(await app.attempt(app.from(HERE), other));
  };

  it.each([
    ["the only field", { email: { type: "email" } }, "email"],
    ["the first of two", { email: {}, name: {} }, "email"],
    ["after a password", { password: { type: "password" }, name: {} }, "name"],
    ["after a password without a type", { password: {}, name: {} }, "name"],
    ["after a hidden field", { kind: { type: "hidden" }, phone: { type: "tel" } }, "phone"],
    ["a number", { pin: {}, number: { type: "number" } }, "number"],
  ])("it is the first text field that is not a password: %s", async (_, fields, name) => {
    const declared = fields as Record<string, { type?: string }>;
    expect(await areOne(declare(declared), { [name]: "a" }, { [name]: "a" })).toBe(true);
    expect(await areOne(declare(declared), { [name]: "a" }, { [name]: "b" })).toBe(false);
    const others = Object.keys(declared).filter((one) => one !== name);
    for (const other of others) {
      const [one, two] = ["1", "2"].map((value) => ({ [name]: "a", [other]: value }));
      expect(await areOne(declare(declared), one ?? {}, two ?? {})).toBe(true);
    }
  });

  it("`identify` returns the account from all fields and the provider's id, and may fall back to the default", async () => {
    const seen: unknown[] = [];
    const identify = ({ org, name }: Record<string, unknown>, provider: string) => {
      seen.push(provider);
      return org === undefined ? undefined : JSON.stringify([org, name]);
    };
    const fields = { org: {}, name: {} };
    const make = () => declare(fields, { identify });
    expect(await areOne(make(), { org: "a", name: "x" }, { org: "a", name: "y" })).toBe(false);
    expect(await areOne(make(), { org: "a", name: "x" }, { org: "A", name: "X" })).toBe(true);
    expect(await areOne(make(), { name: "x" }, { name: "y" })).toBe(true);
    expect(new Set(seen)).toEqual(new Set(["credentials"]));
    // Once per request, for all rules.
    expect(seen).toHaveLength(6);
  });

  it("an `identify` that throws fails the attempt: nothing is verified uncounted", async () => {
    const app = createLimitApp({
      use: [
        rateLimit({
          identify: () => {
            throw new Error("no");
          },
        }),
      ],
    });
    expect(await app.attempt(app.from(HERE))).toEqual({ error: "Configuration" });
    expect(app.authorize).not.toHaveBeenCalled();
  });

  it("without a declared field, only the client is counted, and one warning reports that", async () => {
    const details: string[] = [];
    const app = createLimitApp({
      providers: [credentials({ credentials: {}, authorize: () => null })],
      logger: { error() {}, warn: (code, detail) => void details.push(`${code}: ${detail}`) },
    });
    await app.fail(app.from(HERE), 50);
    expect(isLocked(await app.attempt(app.from(HERE)))).toBe(true);
    const warned = details.filter((text) => text.startsWith("rate-limit-account"));
    expect(warned).toHaveLength(1);
    expect(warned[0]).toContain('The fields of "credentials" name no account');
    expect(warned[0]).toContain("`identify`");
  });

  it("a missing name counts as its own account: omitting the name lifts no limit", async () => {
    expect(await areOne(declare({ name: {} }), {}, { name: "" })).toBe(true);
  });
});

/** Routes of a plugin that is unaware of limits. */
function addRoutes(handler: Route["handler"] = (ctx) => ctx.json("done")): Plugin {
  return {
    name: "acme",
    setup(kernel) {
      kernel.addRoute({ method: "POST", path: "/org/:id/invite", json: true, handler });
      kernel.addRoute({ method: "GET", path: "/report", json: true, handler });
    },
  };
}

describe("rules for routes of other plugins", () => {
  const INVITE = { route: "POST /org/:id/invite", window: 60 } as const;
  const invite = async (browser: Browser, org = "acme") =>
    (await browser.send(`/auth/org/${org}/invite`)).status;

  it("a rule by client counts each client, over all parameters of the path", async () => {
    const limits = rateLimit({ rules: { invite: { ...INVITE, by: "client", max: 2 } } });
    const app = createLimitApp({ use: [limits, addRoutes()] });
    const browser = app.from(HERE);
    const seen = [await invite(browser, "a"), await invite(browser, "b"), await invite(browser)];
    expect([...seen, await invite(app.from(THERE))]).toEqual([200, 200, 429, 200]);
  });

  it("a rule by route counts all requests together", async () => {
    const limits = rateLimit({ rules: { invite: { ...INVITE, by: "route", max: 3 } } });
    const app = createLimitApp({ use: [limits, addRoutes()] });
    const statuses: number[] = [];
    for (let at = 0; at < 5; at++) statuses.push(await invite(app.from(client(at))));
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  it("a rule by account counts the signed-in user, and does not apply to visitors", async () => {
    const limits = rateLimit({ rules: { invite: { ...INVITE, by: "account", max: 1 } } });
    const app = createLimitApp({ use: [limits, addRoutes()] });
    const [phone, desk, visitor] = [app.from(HERE), app.from(THERE), app.from(HERE)];
    await app.attempt(phone);
    await app.attempt(desk);
    expect(await invite(phone)).toBe(200);
    expect([await invite(desk), await invite(phone)]).toEqual([429, 429]);
    for (let time = 0; time < 3; time++) expect(await invite(visitor)).toBe(200);
  });

  it.each([
    ["all", [200, 200, 429], [400, 400, 429]],
    ["failures", [200, 200, 200], [400, 400, 429]],
    ["consecutive-failures", [200, 200, 200], [400, 400, 429]],
    ["successes", [200, 200, 429], [400, 400, 400]],
  ] as const)("a rule that counts %s", async (counts, good, bad) => {
    const run = async (respond: (ctx: AuthContext) => Response) => {
      const rule = { ...INVITE, by: "client", max: 2, counts } as const;
      const app = createLimitApp({
        use: [rateLimit({ rules: { invite: rule } }), addRoutes(respond)],
      });
      const browser = app.from(HERE);
      return [await invite(browser), await invite(browser), await invite(browser)];
    };
    expect(await run((ctx) => ctx.json("done"))).toEqual(good);
    expect(await run((ctx) => ctx.json("no", { status: 400 }))).toEqual(bad);
    const thrown = await run(() => {
      throw new Error("no");
    });
    expect(thrown).toEqual(bad.map((status) => (status === 400 ? 500 : status)));
    // A failure of a store or a database decides nothing.
    for (const Outage of [StoreError, AdapterError]) {
      const outage = await run(() => {
        throw new Outage("down");
      });
      expect(outage.map((status) => status === 429)).toEqual([false, false, counts === "all"]);
    }
  });

  it("of several locks, the longest sets Retry-After", async () => {
    using clock = createClock();
    const rules = {
      short: { ...INVITE, by: "client", max: 1 },
      long: { ...INVITE, by: "route", max: 2, window: 600 },
      medium: { ...INVITE, by: "client", max: 3, window: 300 },
    } as const;
    const app = createLimitApp({ use: [rateLimit({ rules }), addRoutes()] });
    const [one, other] = [app.from(HERE), app.from(THERE)];
    await invite(one);
    await invite(other);
    // Of the three counters for this client, the client's own locks first.
    expect(await invite(one)).toBe(429);
    expect(await invite(app.from(client(1)))).toBe(429);
    clock.advance(1000);
    const response = await one.send("/auth/org/acme/invite");
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "599"]);
  });

  it("a limit on a GET route also limits HEAD", async () => {
    const rule = { route: "GET /report", by: "client", max: 2, window: 60 } as const;
    const app = createLimitApp({ use: [rateLimit({ rules: { report: rule } }), addRoutes()] });
    const browser = app.from(HERE);
    const statuses: number[] = [];
    for (const method of ["GET", "HEAD", "GET"])
      statuses.push((await browser.send("/auth/report", { method })).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  it("several rules of one route all apply, and only the first that refuses counts", async () => {
    const rules = {
      few: { ...INVITE, by: "client", max: 1 },
      many: { ...INVITE, by: "route", max: 3 },
    } as const;
    const app = createLimitApp({ use: [rateLimit({ rules }), addRoutes()] });
    const one = app.from(HERE);
    for (let time = 0; time < 5; time++) await invite(one);
    expect(await invite(app.from(client(1)))).toBe(200);
    expect(await invite(app.from(client(2)))).toBe(200);
    expect(await invite(app.from(client(3)))).toBe(429);
  });

  it("a route keeps the plugin that registered it, and its other properties", () => {
    const rule = { ...INVITE, by: "client", max: 1 } as const;
    const look = (limits: Plugin) =>
      createLimitApp({ use: [limits, addRoutes()] }).auth.inspect().routes;
    expect(look(rateLimit({ rules: { invite: rule } }))).toEqual(look(rateLimit(false)));
  });

  it("only routes with rules are wrapped: GET /session keeps the handler of its plugin", () => {
    const handlers = (use: Plugin[]) => {
      let seen: Map<string, unknown> | undefined;
      createLimitApp({
        use: [
          ...use,
          {
            name: "see",
            setup: ({ hooks, routes }) =>
              hooks.ready.tap({ name: "see", stage: 1000 }, () => {
                seen = new Map([...routes].map(([key, { replaces }]) => [key, replaces]));
              }),
          },
        ],
      }).auth.inspect();
      return seen;
    };
    const changed = [...(handlers([]) ?? [])].filter(([, replaced]) => replaced);
    expect(changed.map(([key]) => key)).toEqual(["POST /callback/:"]);
    const { hooks } = createLimitApp().auth.inspect();
    expect(hooks.request?.taps).toEqual([]);
    expect(hooks.around?.taps).toEqual([]);
  });
});

describe("rules for provider types of other plugins", () => {
  interface SmsProvider extends ProviderBase {
    type: "sms-limits";
  }
  const START = {
    route: "POST /signin/:provider",
    type: "sms-limits",
    max: 1,
    window: 60,
  } as const;
  const OWN = { sms: { ...START, by: "account" } } as const;

  function create(members: object, rules: RateLimitOptions["rules"] = OWN) {
    const start = vi.fn((ctx: AuthContext) => ctx.redirect("/sent"));
    const finish = () => ({ user: {}, account: { providerAccountId: "1" } });
    const definition = { start, finish, ...members };
    const flow = defineFlow<SmsProvider>("sms-limits", definition as never);
    const limits = rateLimit({ rules });
    const app = createLimitApp({ use: [flow(), limits] });
    app.auth.use({
      name: "provider",
      setup: (kernel) => kernel.addProvider({ id: "sms", name: "SMS", type: "sms-limits" }),
    });
    const send = async (phone: string) => {
      const response = await app.from(undefined).signIn("sms", { phone });
      return response.headers.get("location");
    };
    return { app, start, send };
  }

  const identify = async (ctx: AuthContext) => String((await ctx.body()).phone as string);

  it("`identify` of a flow returns the account, and without `limited` the sign-in page explains the lock", async () => {
    using _clock = createClock();
    const { start, send } = create({ identify });
    expect(await send("1")).toBe(`${ORIGIN}/sent`);
    expect(await send("1")).toBe(`${ORIGIN}/auth/signin?error=TooManyAttempts&retry_after=60`);
    expect(await send("2")).toBe(`${ORIGIN}/sent`);
    expect(start).toHaveBeenCalledTimes(2);
  });

  it("`limited` of a flow responds instead of `start`", async () => {
    const limited = (ctx: AuthContext) => ctx.redirect("/quiet");
    const { start, send } = create({ identify, limited });
    expect([await send("1"), await send("1")]).toEqual([`${ORIGIN}/sent`, `${ORIGIN}/quiet`]);
    expect(start).toHaveBeenCalledTimes(1);
  });

  it("`limits` of a flow are rules for its providers, which the application can change and drop", async () => {
    const { type: _, ...limit } = START;
    const limits = { "sms-account": { ...limit, by: "account" } };
    const count = async (rules: RateLimitOptions["rules"]) => {
      const { start, send } = create({ identify, limits }, rules);
      for (let time = 0; time < 5; time++) await send("1");
      return start.mock.calls.length;
    };
    expect(await count({})).toBe(1);
    expect(await count({ "sms-account": { max: 3 } })).toBe(3);
    expect(await count({ "sms-account": false })).toBe(5);
    const { app } = create({ identify, limits }, { "sms-acount": { max: 3 } });
    expect(listBootFaults(app)).toEqual([
      'rateLimit has no default rule "sms-acount". Did you mean "sms-account"?',
    ]);
  });

  it("boot reports an invalid limit of a flow, and a limit that another flow has", () => {
    const { type: _, ...limit } = START;
    const none = create({ limits: { "sms-account": { ...limit, by: "phone" } } }, {});
    expect(listBootFaults(none.app)).toEqual([
      expect.stringContaining("needs `by`: one of account"),
    ]);
    const same = create({ limits: { "email-client": { ...limit, by: "client" } } }, {});
    expect(listBootFaults(same.app)).toEqual([
      'The flows "email" and "sms-limits" both have a limit "email-client". Rename one: "sms-limits-email-client".',
    ]);
  });

  it("without `identify`, a rule by account does not apply, and one warning reports that", async () => {
    const { app, start, send } = create({});
    for (let time = 0; time < 3; time++) await send("1");
    expect(start).toHaveBeenCalledTimes(3);
    expect(app.log.warnings).toEqual(["rate-limit-account"]);
  });

  it("a handler that returns no Response is reported by the kernel, and counts as a failure", async () => {
    const rule = { route: "POST /org/:id/invite", by: "client", max: 1, window: 60 } as const;
    const rules = { invite: { ...rule, counts: "failures" } } as const;
    const routes = addRoutes(() => undefined as unknown as Response);
    const app = createLimitApp({ use: [rateLimit({ rules }), routes] });
    const browser = app.from(HERE);
    expect((await browser.send("/auth/org/acme/invite")).status).toBe(500);
    expect(app.log.errors.at(-1)?.message).toContain('(plugin "acme") returned no Response');
    expect((await browser.send("/auth/org/acme/invite")).status).toBe(429);
  });
});

describe("faults of rules, found at boot", () => {
  const boot = (options: unknown) =>
    listBootFaults(createLimitApp({ use: [rateLimit(options as RateLimitOptions)] }));
  const rule = { route: "POST /signout", by: "client", max: 1, window: 60 };

  it.each([
    [{ ...rule, route: undefined }, /"own" of rateLimit needs a `route`/],
    [{ ...rule, route: "/signout" }, /needs a `route`/],
    [{ ...rule, route: "TRACE /signout" }, /needs a `route`/],
    [{ ...rule, by: "ip" }, /needs `by`: one of account, client, account\+client, route/],
    [{ ...rule, max: 0 }, /needs `max`: a whole number from 1/],
    [{ ...rule, max: 1.5 }, /needs `max`/],
    [{ ...rule, max: "5" }, /needs `max`/],
    [{ ...rule, max: Infinity }, /needs `max`/],
    [{ ...rule, window: 0 }, /needs `window`: whole seconds from 1/],
    [{ ...rule, window: 1e9 }, /needs `window`/],
    [{ ...rule, counts: "some" }, /has an unknown `counts`; use one of all, failures/],
    [{ ...rule, limit: 5 }, /has the unknown field `limit`; use route, type/],
    [{ ...rule, route: "POST /nowhere" }, /"own" .* POST \/nowhere, which no plugin registers/],
    [false, /no default rule "own" to drop; the defaults are credentials, /],
  ])("boot reports the rule %j", (given, message) => {
    const faults = boot({ rules: { own: given } });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(message);
  });

  it("a misspelled name of a default is one fault, unless its rule is complete", () => {
    const message = 'rateLimit has no default rule "credentails". Did you mean "credentials"?';
    for (const given of [{ max: 3 }, { max: 0 }, false]) {
      expect(boot({ rules: { credentails: given } })).toEqual([message]);
    }
    expect(boot({ rules: { credentails: rule } })).toEqual([]);
    expect(boot({ rules: { credentails: { ...rule, max: 0 } } })).toEqual([
      expect.stringContaining("needs `max`"),
    ]);
  });

  it("all faults are reported together", () => {
    const rules = { one: { ...rule, max: 0 }, two: { ...rule, by: "x" }, three: false };
    expect(boot({ rules, identify: "name" })).toHaveLength(4);
    expect(boot({ rules: { own: rule } })).toEqual([]);
  });
});

describe("presets", () => {
  const namesOf = (preset: typeof minimalPreset, plugins: Plugin[] = []) =>
    createAuthWith(preset, { secret: SECRET, env: { NODE_ENV: "test" }, plugins })
      .inspect()
      .plugins.map(({ name }) => name);

  it("the standard preset has rate limits, the minimal one has none", () => {
    expect(namesOf(standardPreset)).toContain("security/rate-limit");
    expect(namesOf(minimalPreset)).not.toContain("security/rate-limit");
  });

  it("in production, one warning names the flows whose limits no plugin enforces", () => {
    const warn = (env: string, plugins: Plugin[] = []) => {
      const warnings: string[] = [];
      createAuthWith(minimalPreset, {
        secret: SECRET,
        trustHost: true,
        env: { NODE_ENV: env },
        providers: [credentials()],
        plugins: [credentialsFlow(), ...plugins],
        logger: { warn: (code, detail) => void warnings.push(`${code}: ${detail}`) },
      }).inspect();
      return warnings.filter((text) => text.startsWith("rate-limit-unused"));
    };
    const [warning, ...others] = warn("production");
    expect(warning).toContain('"credentials"');
    expect(others).toEqual([]);
    expect(warn("production", [rateLimit()])).toEqual([]);
    expect(warn("production", [rateLimit(false)])).toEqual([]);
    expect(warn("development")).toEqual([]);
  });

  it("the e-mail flow adds its limits, unless the application has them or turns them off", () => {
    const count = (plugins: Plugin[]) =>
      namesOf(minimalPreset, plugins).filter((name) => name === "security/rate-limit").length;
    expect(count([emailFlow()])).toBe(1);
    expect(count([emailFlow(), rateLimit(false)])).toBe(1);
  });
});

describe("createLimiter()", () => {
  it("refuses a namespace that another plugin uses", () => {
    const use = {
      name: "own",
      setup: (kernel) => void createLimiter(kernel, "rate-limit"),
    } as Plugin;
    const app = createLimitApp({ use: [use] });
    expect(() => app.auth.inspect()).toThrow(/both use the store namespace "rate-limit"/);
  });
});
