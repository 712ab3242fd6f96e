import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { AuthError } from "../../src/errors/errors.ts";
import { boundedFetch } from "../../src/http/fetch.ts";
import { isLoopback, isSecureUrl } from "../../src/http/origin.ts";

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

async function getError(promise: Promise<unknown>): Promise<AuthError> {
  const error: unknown = await promise.then(
    () => "no error",
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AuthError);
  return error as AuthError;
}

const never: typeof fetch = () => new Promise(() => {});

describe("boundedFetch()", () => {
  it("boundedFetch() returns the decoded response with its status and headers", async () => {
    const url = await serve((request, response) => {
      const tea = gzipSync("tea");
      const encoding = { "content-encoding": "gzip", "content-length": tea.length };
      response.writeHead(418, "Teapot", { "x-test": request.method, ...encoding }).end(tea);
    });
    const response = await boundedFetch()(url, { method: "POST", body: "x" });
    const { status, statusText, headers } = response;
    expect([status, statusText, headers.get("x-test")]).toEqual([418, "Teapot", "POST"]);
    expect([headers.has("content-encoding"), headers.has("content-length")]).toEqual([
      false,
      false,
    ]);
    expect(await response.text()).toBe("tea");
  });

  it("boundedFetch() returns responses without a body", async () => {
    const url = await serve((_, response) => response.writeHead(204).end());
    const response = await boundedFetch()(url);
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  it.each([204, 205])(
    "boundedFetch() accepts a response %s whose platform gives it an empty body",
    async (status) => {
      const given = Object.defineProperty(new Response(""), "status", { value: status });
      const response = await boundedFetch(async () => given)("https://idp.example");
      expect([response.status, await response.text()]).toEqual([status, ""]);
    },
  );

  it("boundedFetch() accepts a Request", async () => {
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
  ])("boundedFetch() may request %s: %s", async (url, allowed) => {
    expect(isSecureUrl(new URL(url))).toBe(allowed);
    let asked = false;
    const base = async () => {
      asked = true;
      return new Response();
    };
    if (allowed) await boundedFetch(base)(url);
    else await getError(boundedFetch(base)(url));
    expect(asked).toBe(allowed);
  });

  it("isLoopback() recognizes localhost", () => {
    expect(isLoopback(new URL("https://localhost"))).toBe(true);
    expect(isLoopback(new URL("https://example.com"))).toBe(false);
  });

  it("boundedFetch() rejects an invalid URL without naming its query", async () => {
    expect((await getError(boundedFetch()("nonsense?token=1"))).message).not.toContain("token");
  });

  it.each([301, 302, 303, 307, 308, 300, 304])(
    "boundedFetch() rejects a redirect with status %i instead of following it",
    async (status) => {
      const seen: string[] = [];
      const url = await serve((request, response) => {
        seen.push(request.url ?? "");
        response.writeHead(status, { location: "/elsewhere" }).end();
      });
      expect((await getError(boundedFetch()(url, { redirect: "follow" }))).message).toContain(
        "a redirect",
      );
      expect(seen).toEqual(["/"]);
    },
  );

  it("boundedFetch() cancels the body of a redirect, even if canceling fails", async () => {
    let isCanceled = false;
    const body = new ReadableStream({
      cancel() {
        isCanceled = true;
        throw new Error("the connection is lost");
      },
    });
    const error = await getError(
      boundedFetch(async () => new Response(body, { status: 302 }))("https://example.com"),
    );
    expect([error.message, isCanceled]).toEqual([
      "GET example.com/: the response is a redirect, which is never followed.",
      true,
    ]);
    // The message already contains the reason.
    expect(error.cause).toBeUndefined();
  });

  it("boundedFetch() rejects a redirect that the runtime hides", async () => {
    const hidden = Object.defineProperties(new Response(), {
      type: { value: "opaqueredirect" },
      status: { value: 0 },
    });
    const error = await getError(boundedFetch(async () => hidden)("https://example.com"));
    expect(error.message).toContain("a redirect");
  });

  it("boundedFetch() rejects a response above the maximum size", async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(2_000_000)));
    const limited = boundedFetch(undefined, { maxBytes: 1000 });
    expect((await getError(limited(url))).message).toContain("more than 1000 bytes");
    expect((await getError(boundedFetch()(url))).message).toContain("more than 1048576 bytes");
  });

  it("boundedFetch() accepts a response of exactly the maximum size", async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(1000)));
    const response = await boundedFetch(undefined, { maxBytes: 1000 })(url);
    expect((await response.arrayBuffer()).byteLength).toBe(1000);
  });

  it("boundedFetch() counts the size after decompression and does not buffer the excess", async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000));
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const before = process.memoryUsage().rss;
    expect((await getError(boundedFetch()(url))).message).toContain("more than");
    expect(process.memoryUsage().rss - before).toBeLessThan(20_000_000);
  });

  it("boundedFetch() rejects an endless response", async () => {
    const url = await serve((_, response) => {
      const more = () => void (response.write(Buffer.alloc(65_536)) ? setImmediate(more) : 0);
      response.on("drain", more);
      more();
    });
    expect((await getError(boundedFetch()(url))).message).toContain("more than");
  });

  it("boundedFetch() times out waiting for the headers", async () => {
    const url = await serve(() => {});
    const started = Date.now();
    const error = await getError(boundedFetch(undefined, { timeout: 60 })(url));
    expect(error.message).toContain("within 60 ms");
    expect(Date.now() - started).toBeLessThan(1000);
  });

  it("boundedFetch() times out when the body arrives too slowly", async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write("."), 5);
      response.on("close", () => clearInterval(timer));
    });
    const error = await getError(boundedFetch(undefined, { timeout: 60 })(url));
    expect(error.message).toContain("within 60 ms");
  });

  it("boundedFetch() times out when the underlying fetch ignores its signal", async () => {
    const error = await getError(boundedFetch(never, { timeout: 20 })("https://example.com"));
    expect(error.message).toContain("within 20 ms");
  });

  it("boundedFetch() rejects when the request that it serves is aborted", async () => {
    const request = new AbortController();
    const asked = boundedFetch(never, { signal: request.signal })("https://example.com/path");
    setTimeout(() => request.abort(), 10);
    expect((await getError(asked)).message).toBe(
      "GET example.com/path: the request that started it has ended.",
    );
    const late = boundedFetch(never, { signal: request.signal })("https://x.y/path");
    expect((await getError(late)).message).toContain("the request that started it has ended");
  });

  it("boundedFetch() leaves no listener on the signal of its request, and none reacts to it later", async () => {
    const request = new AbortController();
    const listeners = new Set<unknown>();
    const { addEventListener: add, removeEventListener: remove } = request.signal;
    request.signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners.add(args[1]);
      add.apply(request.signal, args);
    };
    request.signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners.delete(args[1]);
      remove.apply(request.signal, args);
    };
    let given: AbortSignal | null | undefined;
    const answer: typeof fetch = (_, init) => {
      given = init?.signal;
      expect(listeners.size).toBe(1);
      return Promise.resolve(new Response("{}"));
    };
    await boundedFetch(answer, { signal: request.signal })("https://example.com");
    expect(listeners.size).toBe(0);
    request.abort();
    expect(given?.aborted).toBe(false);
  });

  it("boundedFetch() rejects when the caller's own signal is aborted", async () => {
    const signal = AbortSignal.timeout(10);
    await getError(boundedFetch(never)("https://example.com", { signal }));
  });

  it("boundedFetch() rejects when the signal of a given Request is aborted, and names its method", async () => {
    const request = new Request("https://example.com", {
      method: "DELETE",
      signal: AbortSignal.timeout(10),
    });
    const error = await getError(boundedFetch(never, { timeout: 30_000 })(request));
    expect(error.message).toContain("DELETE example.com/: the request that started it has ended");
  });

  it("boundedFetch() errors name host and path but no secret", async () => {
    const secret = "s3cret";
    const token = "A".repeat(40);
    const base = async () => {
      throw new TypeError(`fetch of https://example.com?key=${secret} failed`);
    };
    const error = await getError(
      boundedFetch(base)(`https://example.com/v1/${token}/me?key=${secret}`, { method: "post" }),
    );
    expect(error.message).toBe("POST example.com/v1/.../me: it cannot be reached.");
  });

  it("boundedFetch() errors give the reason why a host cannot be reached", async () => {
    const url = await serve(() => {});
    closing.pop()?.();
    const error = await getError(boundedFetch()(url));
    expect(error.message).toContain("it cannot be reached (ECONNREFUSED)");
    expect(error.cause?.err).toBeInstanceOf(Error);
  });
});
