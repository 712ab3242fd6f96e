import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { AuthError } from "../../src/errors.ts";
import { boundedFetch } from "../../src/fetch.ts";
import { isLoopback, isSecureUrl } from "../../src/origin.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function fault(promise: Promise<unknown>): Promise<AuthError> {
  const error: unknown = await promise.then(
    () => "no fault",
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AuthError);
  return error as AuthError;
}

const never: typeof fetch = () => new Promise(() => {});

describe("a bounded fetch", () => {
  it("gives the answer whole, with status and headers", async () => {
    const url = await serve((request, response) => {
      response.writeHead(418, { "x-test": request.method, "content-encoding": "gzip" });
      response.end(gzipSync("tea"));
    });
    const response = await boundedFetch()(url, { method: "POST", body: "x" });
    expect([response.status, response.headers.get("x-test")]).toEqual([418, "POST"]);
    expect(response.headers.has("content-encoding")).toBe(false);
    expect(await response.text()).toBe("tea");
  });

  it("gives answers without a body", async () => {
    const url = await serve((_, response) => response.writeHead(204).end());
    const response = await boundedFetch()(url);
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  it("takes a Request", async () => {
    const url = await serve((request, response) => {
      request.pipe(response);
    });
    const request = new Request(url, { method: "POST", body: "echo" });
    expect(await (await boundedFetch()(request)).text()).toBe("echo");
  });

  it.each([
    ["https://example.com/", true],
    ["http://localhost:3000/", true],
    ["http://app.localhost/", true],
    ["http://127.0.0.1/", true],
    ["http://127.9.9.9:80/", true],
    ["http://[::1]/", true],
    ["http://0x7f.1/", true],
    ["http://example.com/", false],
    ["http://localhost.example.com/", false],
    ["http://127.0.0.1.example.com/", false],
    ["http://notlocalhost/", false],
    ["http://169.254.169.254/", false],
    ["http://[::2]/", false],
    ["ftp://localhost/", false],
    ["file:///etc/passwd", false],
    ["data:,x", false],
    ["javascript:1", false],
  ])("%s may be asked: %s", async (url, allowed) => {
    expect(isSecureUrl(new URL(url))).toBe(allowed);
    let asked = false;
    const base = async () => {
      asked = true;
      return new Response();
    };
    if (allowed) await boundedFetch(base)(url);
    else await fault(boundedFetch(base)(url));
    expect(asked).toBe(allowed);
  });

  it("knows its own machine", () => {
    expect(isLoopback(new URL("https://localhost"))).toBe(true);
    expect(isLoopback(new URL("https://example.com"))).toBe(false);
  });

  it("refuses what is no URL", async () => {
    expect((await fault(boundedFetch()("nonsense?token=1"))).message).not.toContain("token");
  });

  it.each([301, 302, 303, 307, 308, 300, 304])("follows no redirect: %i", async (status) => {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      seen.push(request.url ?? "");
      response.writeHead(status, { location: "/elsewhere" }).end();
    });
    expect((await fault(boundedFetch()(url, { redirect: "follow" }))).message).toContain(
      "a redirect",
    );
    expect(seen).toEqual(["/"]);
  });

  it("cuts a large answer", async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(2_000_000)));
    const limited = boundedFetch(undefined, { maxBytes: 1000 });
    expect((await fault(limited(url))).message).toContain("more than 1000 bytes");
    expect((await fault(boundedFetch()(url))).message).toContain("more than 1048576 bytes");
  });

  it("takes an answer of exactly the bound", async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(1000)));
    const response = await boundedFetch(undefined, { maxBytes: 1000 })(url);
    expect((await response.arrayBuffer()).byteLength).toBe(1000);
  });

  it("counts an answer after decompression, and keeps little of it", async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const before = process.memoryUsage().rss;
    expect((await fault(boundedFetch()(url))).message).toContain("more than");
    expect(process.memoryUsage().rss - before).toBeLessThan(20_000_000);
  });

  it("cuts an endless answer", async () => {
    const url = await serve((_, response) => {
      const more = () => void (response.write(Buffer.alloc(65_536)) ? setImmediate(more) : 0);
      response.on("drain", more);
      more();
    });
    expect((await fault(boundedFetch()(url))).message).toContain("more than");
  });

  it("waits no longer than its time for the headers", async () => {
    const url = await serve(() => {});
    const started = Date.now();
    const error = await fault(boundedFetch(undefined, { timeout: 60 })(url));
    expect(error.message).toContain("within 60 ms");
    expect(Date.now() - started).toBeLessThan(1000);
  });

  it("waits no longer than its time for a slow drip", async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write("."), 5);
      response.on("close", () => clearInterval(timer));
    });
    const error = await fault(boundedFetch(undefined, { timeout: 60 })(url));
    expect(error.message).toContain("within 60 ms");
  });

  it("waits no longer than its time for a fetch that hears of no signal", async () => {
    const error = await fault(boundedFetch(never, { timeout: 20 })("https://example.com"));
    expect(error.message).toContain("within 20 ms");
  });

  it("ends with the request that it serves", async () => {
    const request = new AbortController();
    const asked = boundedFetch(never, { signal: request.signal })("https://example.com/path");
    setTimeout(() => request.abort(), 10);
    expect((await fault(asked)).message).toBe(
      "GET example.com/path: the request that it served has ended.",
    );
    expect((await fault(boundedFetch(never, { signal: request.signal })("https://x.y"))).type).toBe(
      "AuthError",
    );
  });

  it("ends with the caller's own signal", async () => {
    const signal = AbortSignal.timeout(10);
    await fault(boundedFetch(never)("https://example.com", { signal }));
  });

  it("names host and path and no secret", async () => {
    const secret = "s3cret";
    const token = "A".repeat(40);
    const base = async () => {
      throw new TypeError(`fetch of https://example.com?key=${secret} failed`);
    };
    const error = await fault(
      boundedFetch(base)(`https://example.com/v1/${token}/me?key=${secret}`, { method: "post" }),
    );
    expect(error.message).toBe("POST example.com/v1/.../me: it cannot be reached.");
  });

  it("says why a host cannot be reached", async () => {
    const url = await serve(() => {});
    closing.pop()?.();
    const error = await fault(boundedFetch()(url));
    expect(error.message).toContain("it cannot be reached (ECONNREFUSED)");
    expect(error.cause?.err).toBeInstanceOf(Error);
  });
});
