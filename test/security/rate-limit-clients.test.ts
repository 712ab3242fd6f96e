import { describe, expect, it } from "vitest";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { ORIGIN } from "../_app.ts";
import { client, createLimitApp, HERE, isLocked, THERE } from "./_limits.ts";

const PRODUCTION = { NODE_ENV: "production", AUTH_URL: ORIGIN };
/** Counts only by client. */
const BY_CLIENT = rateLimit({
  rules: {
    credentials: false,
    "credentials-account": false,
    "credentials-client": { max: 2 },
  },
});

/** Tests whether three failures from three addresses lock the last one. */
async function areOneClient(...addresses: [string, string, string]): Promise<boolean> {
  const app = createLimitApp({ use: [BY_CLIENT] });
  const [one, two, three] = addresses;
  await app.fail(app.from(one), 1);
  await app.fail(app.from(two), 1);
  return isLocked(await app.attempt(app.from(three)));
}

describe("clients by address", () => {
  it.each([
    ["the same address", HERE, HERE, HERE],
    ["IPv4 inside IPv6", HERE, `::ffff:${HERE}`, "::ffff:c000:201"],
    [
      "one IPv6 address in all spellings",
      "2001:db8::1",
      "2001:0db8:0:0::1",
      "2001:DB8:0:0:0:0:0:1",
    ],
    ["one IPv6 network (/64)", "2001:db8:0:1::1", "2001:db8:0:1:ffff::", "2001:db8:0:1:1:2:3:4"],
    ["a network whose first groups are zero", "::2", "::ffff:0:0:3", "0:0:0:0:1::"],
    ["an address with a zone", "fe80::1", "fe80::1%eth0", "fe80::2%eth1"],
  ])("%s count as one client", async (_, ...addresses) => {
    expect(await areOneClient(...(addresses as [string, string, string]))).toBe(true);
  });

  it.each([
    ["two IPv4 addresses", HERE, HERE, THERE],
    ["two IPv6 networks", "2001:db8:0:1::1", "2001:db8:0:1::1", "2001:db8:0:2::1"],
    ["a network and one with one zero less", "2001:db8::1", "2001:db8::1", "2001:db8:1::1"],
  ])("%s count as two clients", async (_, ...addresses) => {
    expect(await areOneClient(...(addresses as [string, string, string]))).toBe(false);
  });

  it.each(["x-forwarded-for", "forwarded", "x-real-ip", "cf-connecting-ip", "true-client-ip"])(
    "a forged %s header does not change the client",
    async (name) => {
      const app = createLimitApp({ use: [BY_CLIENT] });
      for (let at = 0; at < 2; at++) await app.fail(app.from(HERE, { [name]: client(at) }), 1);
      expect(isLocked(await app.attempt(app.from(HERE, { [name]: THERE })))).toBe(true);
      // The header does not lock the client that it names either.
      expect(await app.attempt(app.from(THERE))).toEqual({});
    },
  );

  it("with trustProxy, the proxy's entry of X-Forwarded-For counts, and the entries of the client do not", async () => {
    const app = createLimitApp({ use: [BY_CLIENT], trustProxy: 1 });
    const through = (forged: string, real: string) =>
      app.from("10.0.0.1", { "x-forwarded-for": `${forged}, ${real}` });
    await app.fail(through(client(1), HERE), 1);
    await app.fail(through(client(2), HERE), 1);
    expect(isLocked(await app.attempt(through(client(3), HERE)))).toBe(true);
    expect(await app.attempt(through(HERE, THERE))).toEqual({});
  });

  it("with trustProxy, a request that bypassed the proxy has no address, and account limits still apply", async () => {
    const app = createLimitApp({ trustProxy: 1 });
    for (let at = 0; at < 20; at++) await app.fail(app.from(HERE), 1);
    expect(isLocked(await app.attempt(app.from(HERE)))).toBe(true);
    expect(app.authorize).toHaveBeenCalledTimes(20);
  });
});

describe("a proxy that the configuration does not mention", () => {
  it.each([
    "127.0.0.1",
    "::1",
    "10.1.2.3",
    "192.168.0.4",
    "172.16.0.1",
    "100.64.0.1",
    "100.127.255.1",
    "fd00::1",
    "fe80::1",
  ])("visitors behind a proxy at %s do not lock out one another", async (ip) => {
    const app = createLimitApp();
    for (let at = 0; at < 60; at++) {
      const browser = app.from(ip, { "x-forwarded-for": client(at) });
      await app.fail(browser, 1, `user ${at}`);
    }
    const browser = app.from(ip, { "x-forwarded-for": HERE });
    expect(await app.attempt(browser)).toEqual({});
    expect(app.authorize).toHaveBeenCalledTimes(61);
  });

  it.each(["forwarded", "x-real-ip"])(
    "visitors behind a proxy that sends their addresses only in %s do not lock out one another",
    async (name) => {
      const app = createLimitApp({ use: [BY_CLIENT] });
      await app.fail(app.from("10.1.2.3", { [name]: THERE }), 5);
      expect(await app.attempt(app.from("10.1.2.3", { [name]: HERE }))).toEqual({});
    },
  );

  it("with trustProxy, a client of the same network counts by its address", async () => {
    const app = createLimitApp({ use: [BY_CLIENT], trustProxy: 1 });
    const from = (ip: string) => app.from("10.1.2.3", { "x-forwarded-for": ip });
    await app.fail(from("10.1.2.4"), 2);
    expect(isLocked(await app.attempt(from("10.1.2.4")))).toBe(true);
    expect(await app.attempt(from("10.1.2.5"))).toEqual({});
  });

  it.each(["127.0.0.1", "10.1.2.3", "172.32.0.1", "100.128.0.1"])(
    "a client at %s without such headers counts by its address",
    async (ip) => {
      expect(await areOneClient(ip, ip, ip)).toBe(true);
    },
  );

  it.each([
    ...["172.32.0.1", "100.128.0.1", "11.0.0.1", "2001:db8::1", "192.169.0.1", HERE],
    ...["fc:1::1", "fe00::1", "::2", "64:ff9b::a00:1"],
  ])("a client at the public address %s cannot escape the limit by such headers", async (ip) => {
    const app = createLimitApp({ use: [BY_CLIENT] });
    for (let at = 0; at < 2; at++)
      await app.fail(app.from(ip, { "x-forwarded-for": client(at) }), 1);
    const browser = app.from(ip, { "x-forwarded-for": THERE });
    expect(isLocked(await app.attempt(browser))).toBe(true);
  });
});

describe("clients without a known address", () => {
  it("only limits by account apply: after twenty failures", async () => {
    const app = createLimitApp();
    await app.fail(app.browser, 20);
    expect(app.authorize).toHaveBeenCalledTimes(20);
    expect(isLocked(await app.attempt(app.browser))).toBe(true);
    expect(await app.attempt(app.browser, { username: "eve", password: "no" })).toMatchObject({
      code: "credentials",
    });
  });

  it("in production, one warning explains how to make addresses known", async () => {
    const details: string[] = [];
    const app = createLimitApp({
      env: PRODUCTION,
      logger: { error() {}, warn: (code, detail) => void details.push(`${code}: ${detail}`) },
    });
    const count = () => details.filter((text) => text.startsWith("rate-limit-client: "));
    await app.browser.get("/auth/session");
    expect(count()).toEqual([]);
    await app.fail(app.browser, 3);
    expect(count()).toHaveLength(1);
    expect(count()[0]).toMatch(/Set `trustProxy`, or AUTH_TRUST_PROXY, to the number of proxies/);
  });

  it("outside production, and with known addresses, there is no warning", async () => {
    const development = createLimitApp();
    await development.fail(development.browser, 1);
    const production = createLimitApp({ env: PRODUCTION });
    await production.fail(production.from(HERE), 1);
    for (const { log } of [development, production])
      expect(log.warnings.filter((code) => code === "rate-limit-client")).toEqual([]);
  });
});
