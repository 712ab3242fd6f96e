import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuthClient } from "../../src/client.ts";
import { runPasskeyCeremony } from "../../src/client/passkey.ts";
import { openPage, createTestServer } from "./_page.ts";

// A process has no authenticator; tests in a browser cover this module.
vi.mock("../../src/client/passkey.ts");

const quiet = { redirect: false } as const;

beforeEach(() => {
  vi.mocked(runPasskeyCeremony).mockReset();
  vi.mocked(runPasskeyCeremony).mockImplementation(async ({ action = "authenticate" }) => ({
    action,
    data: `{"id":"${action}"}`,
  }));
});

afterEach(() => void vi.useRealTimers());

function open(url = "http://localhost:3000/in") {
  const page = openPage();
  const posted: Record<string, string>[] = [];
  const { asked, fetch } = createTestServer((path, { body }) => {
    if (path.endsWith("/csrf")) return { csrfToken: "t" };
    if (path.endsWith("/providers")) return { passkey: { id: "passkey", type: "webauthn" } };
    if (path.endsWith("/session")) return { user: { name: "Ada" }, expires: "2100-01-01" };
    posted.push(Object.fromEntries(body as URLSearchParams));
    return { url };
  });
  return { page, posted, asked, client: createAuthClient({ fetch }) };
}

describe("createAuthClient with passkeys", () => {
  it("signInWithPasskey signs in and updates watched sessions", async () => {
    const { client, posted, asked } = open();
    const watch = client.watchSession({ session: null });
    const stop = watch.subscribe(() => {});
    const result = await client.signInWithPasskey({ ...quiet, redirectTo: "/in", email: "a@b.c" });
    expect(result).toMatchObject({ ok: true, url: "http://localhost:3000/in" });
    expect(watch.read().status).toBe("authenticated");
    stop();
    expect(vi.mocked(runPasskeyCeremony).mock.calls[0]?.[0]).toMatchObject({
      base: "/auth",
      provider: "passkey",
      action: "authenticate",
      autofill: false,
      fields: { email: "a@b.c" },
    });
    expect(posted).toEqual([
      {
        action: "authenticate",
        data: '{"id":"authenticate"}',
        csrfToken: "t",
        callbackUrl: "/in",
      },
    ]);
    expect(asked).toEqual(["GET /auth/csrf", "POST /auth/callback/passkey", "GET /auth/session"]);
  });

  it("signIn starts the passkey ceremony for a webauthn provider", async () => {
    const { client, page } = open();
    expect(await client.signIn("passkey", { redirectTo: "/in" })).toMatchObject({ ok: true });
    expect(page.left).toEqual(["http://localhost:3000/in"]);
  });

  it("registerPasskey posts the new credential", async () => {
    const { client, posted } = open();
    await client.registerPasskey({ ...quiet, provider: "key", email: "a@b.c" });
    expect(posted).toMatchObject([{ action: "register", data: '{"id":"register"}' }]);
    expect(vi.mocked(runPasskeyCeremony).mock.calls[0]?.[0]).toMatchObject({ provider: "key" });
  });

  it("signInWithPasskey resolves with the error of the server", async () => {
    const { client } = open("http://localhost:3000/auth/error?error=WebAuthnVerificationError");
    expect(await client.signInWithPasskey(quiet)).toMatchObject({
      ok: false,
      error: "WebAuthnVerificationError",
    });
  });

  it.each([
    [new DOMException("no", "NotAllowedError"), "NotAllowedError", 0],
    [new TypeError("fetch failed"), "Unreachable", 0],
    [
      Object.assign(new Error("no"), { name: "PasskeyRefused", status: 400 }),
      "PasskeyRefused",
      400,
    ],
  ])(
    "signInWithPasskey and registerPasskey resolve with ok: false when the ceremony fails: %s",
    async (thrown, error, status) => {
      vi.mocked(runPasskeyCeremony).mockRejectedValue(thrown);
      const { client, asked, page } = open();
      const failed = { ok: false, error, status, url: null };
      expect(await client.signInWithPasskey()).toEqual(failed);
      expect(await client.registerPasskey()).toEqual(failed);
      expect([asked, page.left]).toEqual([[], []]);
    },
  );

  it.each(["<!doctype html>", "", "null", "{}", '{"action":"authenticate","options":17}'])(
    "signInWithPasskey resolves with PasskeyRefused and the status when a proxy responds with %j",
    async (body) => {
      const { runPasskeyCeremony: ask } = await vi.importActual<
        typeof import("../../src/client/passkey.ts")
      >("../../src/client/passkey.ts");
      vi.mocked(runPasskeyCeremony).mockImplementation((call) =>
        ask({ ...call, fetch: async () => new Response(body) }),
      );
      const refused = { ok: false, error: "PasskeyRefused", status: 200, url: null };
      expect(await open().client.signInWithPasskey()).toEqual(refused);
    },
  );

  it("signInWithPasskey resolves with Unreachable when the options do not arrive", async () => {
    const { runPasskeyCeremony: ask } = await vi.importActual<
      typeof import("../../src/client/passkey.ts")
    >("../../src/client/passkey.ts");
    vi.mocked(runPasskeyCeremony).mockImplementation((call) =>
      ask({
        ...call,
        fetch: (_, init) =>
          new Promise((_resolve, reject) =>
            init?.signal?.addEventListener("abort", ({ target }) =>
              reject((target as AbortSignal).reason as Error),
            ),
          ),
      }),
    );
    vi.useFakeTimers();
    const result = open().client.signInWithPasskey();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await result).toEqual({ ok: false, error: "Unreachable", status: 0, url: null });
  });

  it("registerPasskey goes to the sign-in page in the server's response when the session is too old", async () => {
    const url = "http://localhost:3000/auth/signin?error=FreshSessionRequired";
    const { runPasskeyCeremony: ask } = await vi.importActual<
      typeof import("../../src/client/passkey.ts")
    >("../../src/client/passkey.ts");
    const answer = (body: object) =>
      vi
        .mocked(runPasskeyCeremony)
        .mockImplementation((call) =>
          ask({ ...call, fetch: async () => Response.json(body, { status: 401 }) }),
        );
    answer({ error: "FreshSessionRequired", url });
    const { client, page } = open();
    const failed = { ok: false, error: "FreshSessionRequired", status: 401, url };
    expect(await client.registerPasskey(quiet)).toEqual(failed);
    expect(page.left).toEqual([]);
    expect(await client.registerPasskey()).toEqual(failed);
    expect(page.left).toEqual([url]);
    answer({ error: "x", url: "javascript:alert(1)" });
    const refused = { ok: false, error: "PasskeyRefused", status: 401, url: null };
    expect(await client.registerPasskey()).toEqual(refused);
    expect(page.left).toEqual([url]);
  });
});
