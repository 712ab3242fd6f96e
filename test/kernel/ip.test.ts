import { describe, expect, it } from "vitest";
import { isLocalIp, parseIp } from "../../src/http/ip.ts";
import type { AuthConfig, Connection, Plugin } from "../../src/kernel.ts";
import { createTestAuth, ENV, listBootFaults, ORIGIN } from "../_app.ts";
import { getCpuTime } from "../_cpu-time.ts";

describe("parseIp()", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["255.255.255.255", "255.255.255.255"],
    ["::1", "::1"],
    ["::", "::"],
    ["2001:DB8::1", "2001:db8::1"],
    ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::FFFF:c000:0201", "192.0.2.1"],
    ["0:0:0:0:0:ffff:c000:201", "192.0.2.1"],
    ["::ffff:0.0.0.0", "0.0.0.0"],
    ["fe80::1%eth0", "fe80::1"],
    ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"],
  ])("%s becomes %s", (text, address) => {
    expect(parseIp(text)).toBe(address);
  });

  it.each([
    "",
    " ",
    "unknown",
    "_hidden",
    "localhost",
    "192.0.2",
    "192.0.2.1.1",
    "192.0.2.256",
    "192.0.2.01",
    "192.0.2.1:80",
    "192.0.2.1%eth0",
    "0x7f.0.0.1",
    "2130706433",
    "192.0.2.1/24",
    "[::1]",
    "1::2::3",
    ":::",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "::g",
    "::1]/evil",
    "::1\r\nx: y",
    "192.0.2.1, 192.0.2.2",
    "<script>",
    "1".repeat(10_000),
    ":".repeat(10_000),
  ])("%j is not an address", (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

const look = (seen: (string | undefined)[]): Plugin => ({
  name: "look",
  setup(kernel) {
    kernel.addRoute({
      method: "GET",
      path: "/look",
      handler(ctx) {
        seen.push(ctx.ip);
        return ctx.json(null);
      },
    });
    kernel.hooks.request.tap("look", (ctx) => {
      if (ctx.request.method === "POST") seen.push(ctx.ip);
      return undefined;
    });
  },
});

async function getIp(
  headers: Record<string, string> | [string, string][],
  config: AuthConfig = {},
  connection: Connection = { ip: "198.51.100.9" },
): Promise<string | undefined> {
  const seen: (string | undefined)[] = [];
  const { auth } = createTestAuth({ ...config, use: [look(seen)] });
  await auth.handle(new Request(`${ORIGIN}/auth/look`, { headers }), connection);
  return seen[0];
}

const FORGED = {
  "x-forwarded-for": "203.0.113.1",
  forwarded: "for=203.0.113.1",
  "x-real-ip": "203.0.113.1",
  "x-client-ip": "203.0.113.1",
  "cf-connecting-ip": "203.0.113.1",
  "true-client-ip": "203.0.113.1",
};

describe("isLocalIp()", () => {
  it.each([
    ...["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.1.1", "172.16.0.1", "172.31.0.1"],
    ...["100.64.0.1", "100.127.0.1", "::1", "fc00::1", "fdff::1", "fe80::1", "febf::1"],
  ])("%s is an address of this machine or its network", (address) => {
    expect(isLocalIp(address)).toBe(true);
  });

  it.each([
    ...["1.10.0.1", "172.15.0.1", "172.32.0.1", "192.169.0.1", "100.63.0.1", "100.128.0.1"],
    // A gateway may give clients of other networks an address of local NAT64 (RFC 8215).
    ...["2001:db8::1", "::2", "fec0::1", "fd::1", "64:ff9b:1::c000:201"],
  ])("%s is an address of another network", (address) => {
    expect(isLocalIp(address)).toBe(false);
  });
});

describe("ctx.ip of the connection", () => {
  it("ctx.ip is the address of the connection, and never the value of a header", async () => {
    expect(await getIp(FORGED)).toBe("198.51.100.9");
    expect(await getIp(FORGED, { trustProxy: 0 })).toBe("198.51.100.9");
    expect(await getIp(FORGED, {}, {})).toBeUndefined();
  });

  it("ctx.ip is undefined without a connection, and for a connection without an IP address", async () => {
    expect(await getIp({}, {}, {})).toBeUndefined();
    expect(await getIp({}, {}, { ip: undefined })).toBeUndefined();
    expect(await getIp({}, {}, { ip: "@unix" })).toBeUndefined();
    const seen: (string | undefined)[] = [];
    await createTestAuth({ use: [look(seen)] }).auth.fetch(
      new Request(`${ORIGIN}/auth/look`, { headers: FORGED }),
    );
    expect(seen).toEqual([undefined]);
  });

  it("ctx.ip is in its normal form", async () => {
    expect(await getIp({}, {}, { ip: "::ffff:192.0.2.1" })).toBe("192.0.2.1");
    expect(await getIp({}, {}, { ip: "2001:DB8:0::1" })).toBe("2001:db8::1");
  });
});

describe("ctx.ip behind proxies (`trustProxy`)", () => {
  it.each([
    [1, "192.0.2.7", "192.0.2.7"],
    // The client sent the first entry itself, and its proxy appended the second.
    [1, "203.0.113.1, 192.0.2.7", "192.0.2.7"],
    [1, "203.0.113.1,203.0.113.2 ,  192.0.2.7  ", "192.0.2.7"],
    [2, "203.0.113.1, 192.0.2.7, 10.0.0.1", "192.0.2.7"],
    [2, "192.0.2.7, 10.0.0.1", "192.0.2.7"],
    [3, "203.0.113.1, 192.0.2.7, 10.0.0.2, 10.0.0.1", "192.0.2.7"],
    [1, "192.0.2.7:4711", "192.0.2.7"],
    [1, "[2001:db8::7]:4711", "2001:db8::7"],
    [1, "[2001:db8::7]", "2001:db8::7"],
    [1, "2001:db8::7", "2001:db8::7"],
    [1, "::ffff:192.0.2.7", "192.0.2.7"],
    [1, "[::ffff:192.0.2.7]:80", "192.0.2.7"],
  ])("with %i proxies, X-Forwarded-For %j gives %s", async (trustProxy, header, ip) => {
    expect(await getIp({ "x-forwarded-for": header }, { trustProxy })).toBe(ip);
  });

  it.each([
    [1, ""],
    [1, "unknown"],
    [1, "192.0.2.7, "],
    [1, "192.0.2.7, unknown"],
    [1, "192.0.2.7, _secret"],
    [1, "192.0.2.7, <script>alert(1)</script>"],
    [1, "[::1"],
    [1, "[evil]:80"],
    [1, "192.0.2.7:port"],
    [1, "192.0.2.7:4711:1"],
    [1, '"192.0.2.7"'],
    // Fewer entries than proxies: the request has not passed through all of them.
    [2, "192.0.2.7"],
    [3, "192.0.2.7, 10.0.0.1"],
    [2, "unknown, 10.0.0.1"],
  ])("with %i proxies, X-Forwarded-For %j gives no address", async (trustProxy, header) => {
    expect(await getIp({ "x-forwarded-for": header }, { trustProxy })).toBeUndefined();
  });

  it("without X-Forwarded-For, the address is unknown, because the connection is the proxy's", async () => {
    expect(await getIp({}, { trustProxy: 1 })).toBeUndefined();
  });

  it("several X-Forwarded-For headers are one list", async () => {
    const headers: [string, string][] = [
      ["x-forwarded-for", "203.0.113.1"],
      ["x-forwarded-for", "192.0.2.7"],
      ["x-forwarded-for", "10.0.0.1"],
    ];
    expect(await getIp(headers, { trustProxy: 2 })).toBe("192.0.2.7");
  });

  it("the name of a header trusts only that header", async () => {
    const trustProxy = "CF-Connecting-IP";
    expect(await getIp({ ...FORGED, "cf-connecting-ip": "192.0.2.7" }, { trustProxy })).toBe(
      "192.0.2.7",
    );
    const { "cf-connecting-ip": _, ...others } = FORGED;
    expect(await getIp(others, { trustProxy })).toBeUndefined();
  });

  it("a single-address header that was sent twice gives no address", async () => {
    const headers: [string, string][] = [
      ["x-real-ip", "203.0.113.1"],
      ["x-real-ip", "192.0.2.7"],
    ];
    expect(await getIp(headers, { trustProxy: "x-real-ip" })).toBeUndefined();
  });

  it("a long X-Forwarded-For is read quickly", async () => {
    const header = `${"203.0.113.1,".repeat(5000)}192.0.2.7`;
    const start = getCpuTime();
    expect(await getIp({ "x-forwarded-for": header }, { trustProxy: 1 })).toBe("192.0.2.7");
    expect(getCpuTime() - start).toBeLessThan(1000);
  });
});

describe("the option trustProxy", () => {
  const boot = (config: AuthConfig) => listBootFaults(createTestAuth(config));

  it.each([
    ["1", "192.0.2.7"],
    [" 1 ", "192.0.2.7"],
    ["0", "198.51.100.9"],
    ["", "198.51.100.9"],
    ["x-real-ip", "203.0.113.1"],
  ])("AUTH_TRUST_PROXY=%j sets it, if the configuration does not", async (text, ip) => {
    const env = { ...ENV, AUTH_TRUST_PROXY: text };
    const headers = { ...FORGED, "x-forwarded-for": "192.0.2.7" };
    expect(await getIp(headers, { env })).toBe(ip);
    expect(await getIp(headers, { env, trustProxy: 0 })).toBe("198.51.100.9");
  });

  it.each([
    -1,
    1.5,
    NaN,
    Infinity,
    33,
    true,
    "",
    "true",
    "yes",
    "x real ip",
    "x-real-ip:",
    [],
    ["x-real-ip"],
    {},
  ])("%j is a fault that names the fix", (trustProxy) => {
    const [message] = boot({ trustProxy: trustProxy as number });
    expect(message).toMatch(/^`trustProxy` is n.* number of proxies/);
    expect(message).toContain('such as "cf-connecting-ip"');
  });

  it.each(["x-forwarded-for", "X-Forwarded-For", "forwarded"])(
    "%s is a fault, because clients can begin that list",
    (trustProxy) => {
      expect(boot({ trustProxy })[0]).toContain(
        "a list to which clients can add. Count your proxies.",
      );
    },
  );

  it("a fault of AUTH_TRUST_PROXY names the variable", () => {
    const [message] = boot({ env: { ...ENV, AUTH_TRUST_PROXY: "true" } });
    expect(message).toMatch(/^AUTH_TRUST_PROXY is neither/);
  });
});

describe("ctx.ip of server-side methods", () => {
  it("the `req` of an event provides the connection, and a plain Request provides none", async () => {
    const seen: (string | undefined)[] = [];
    const { auth } = createTestAuth({ use: [look(seen)] });
    const req = Object.assign(new Request(ORIGIN), { ip: "192.0.2.7" });
    await auth.signOut({ req, res: { headers: new Headers() } });
    await auth.update({ req }, {});
    await auth.signOut(new Request(ORIGIN));
    expect(seen).toEqual(["192.0.2.7", "192.0.2.7", undefined]);
  });

  it("a plain Request has the address that trusted proxies send", async () => {
    const seen: (string | undefined)[] = [];
    const { auth } = createTestAuth({ use: [look(seen)], trustProxy: 1 });
    await auth.signOut(new Request(ORIGIN, { headers: { "x-forwarded-for": "192.0.2.7" } }));
    expect(seen).toEqual(["192.0.2.7"]);
  });
});

describe("ctx.waitUntil()", () => {
  const working = (work: () => Promise<unknown>): Plugin => ({
    name: "working",
    setup(kernel) {
      kernel.addRoute({
        method: "GET",
        path: "/work",
        handler(ctx) {
          ctx.waitUntil(work());
          return ctx.json("done");
        },
      });
    },
  });
  const request = () => new Request(`${ORIGIN}/auth/work`);

  it("passes the work to the platform, as a method of the given object", async () => {
    const platform = {
      pending: [] as Promise<unknown>[],
      waitUntil(work: Promise<unknown>) {
        this.pending.push(work);
      },
    };
    let isDone = false;
    const { auth } = createTestAuth({
      use: [
        working(async () => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          isDone = true;
        }),
      ],
    });
    const response = await auth.handle(request(), platform);
    expect(await response?.json()).toBe("done");
    expect(isDone).toBe(false);
    await Promise.all(platform.pending);
    expect(platform.pending).toHaveLength(1);
    expect(isDone).toBe(true);
  });

  it("logs an error of the work, which reaches neither the response nor the platform", async () => {
    const pending: Promise<unknown>[] = [];
    const { auth, log } = createTestAuth({
      use: [working(() => Promise.reject(new Error("late")))],
    });
    const connection = { waitUntil: (work: Promise<unknown>) => void pending.push(work) };
    expect((await auth.handle(request(), connection))?.status).toBe(200);
    await Promise.all(pending);
    const [error] = log.expectErrors("Error");
    expect(error?.message).toBe("late");
  });

  it("works without a platform that offers it", async () => {
    const { auth, log } = createTestAuth({
      use: [working(() => Promise.reject(new Error("late")))],
    });
    expect((await auth.fetch(request())).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 0));
    log.expectErrors("Error");
  });
});
