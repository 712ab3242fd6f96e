import { describe, expect, it, vi } from "vitest";
import { callHook, createHooks } from "../../src/hooks/hooks.ts";
import type { AuthConfig, CallbacksOptions, Kernel, Plugin } from "../../src/kernel.ts";
import { createLog, createTestAuth, LOVELACE, ORIGIN, queryOf } from "../_app.ts";
import { plugin } from "./_faults.ts";

/** Creates an application with a tap "odd" of a plugin "rubbish". */
function withTap(tap: (kernel: Kernel) => void, config: AuthConfig = {}) {
  const app = createTestAuth({ use: [plugin("rubbish", tap)], ...config });
  const fetch = (path: string, headers: Record<string, string> = {}) =>
    app.auth.fetch(new Request(ORIGIN + path, { headers }));
  return { ...app, fetch };
}

const what = (hook: string) => `The tap "odd" (plugin rubbish) of the hook ${hook} returned`;

describe("a value that a hook does not accept is a PluginError", () => {
  it("request: text instead of a Response stops the request", async () => {
    const { fetch, log } = withTap(({ hooks }) => hooks.request.tap("odd", () => "hello" as never));
    const response = await fetch("/auth/session");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("hello");
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toBe(
      `${what("request")} a string. Return a Response, or nothing to leave the decision to other taps.`,
    );
  });

  it.each([
    ["a number", 7],
    ["null", null],
    ["an object", { title: "No" }],
    ["an array", []],
    ["an object", { name: "x", title: "x", blocks: "x" }],
    ["an object", { name: "x", blocks: [] }],
    ["an object", { title: "x", blocks: [] }],
  ])("page: %s instead of a page", async (type, value) => {
    const { fetch, log } = withTap(({ hooks }) =>
      hooks.page.for("signin").tap("odd", () => value as never),
    );
    const response = await fetch("/auth/signin", { accept: "text/html" });
    expect(response.status).toBeGreaterThanOrEqual(300);
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(`${what("page:signin")} ${type}. Return a page`);
  });

  it("response: text instead of a Response", async () => {
    const { fetch, log } = withTap(({ hooks }) =>
      hooks.response.tap("odd", async () => "secret" as never),
    );
    const response = await fetch("/auth/session");
    expect(response.status).toBe(500);
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(`${what("response")} a string. Return a Response`);
    expect(error?.message).not.toContain("secret");
  });

  it("error: an object instead of a Response", async () => {
    const { fetch, log } = withTap(({ hooks }) =>
      hooks.error.tap("odd", () => ({ status: 418 }) as never),
    );
    expect((await fetch("/auth/nowhere")).status).toBe(500);
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(`${what("error")} an object. Return a Response`);
  });

  it.each([
    ["a number", 5],
    ["an array", []],
  ])("jwt: %s instead of a token keeps the session", async (type, value) => {
    let isOdd = false;
    const { browser, log } = withTap(({ hooks }) =>
      hooks.jwt.tap("odd", () => (isOdd ? (value as never) : undefined)),
    );
    await browser.signInWith("credentials", LOVELACE);
    isOdd = true;
    expect((await browser.get("/auth/session")).status).toBe(500);
    const [error] = log.expectErrors("JWTSessionError");
    expect(error?.cause?.err?.message).toContain(`${what("jwt")} ${type}. Return a token`);
    isOdd = false;
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it.each([
    ["a boolean", true],
    ["an array", []],
  ])("session: %s instead of a session", async (type, value) => {
    const { browser, log } = withTap(({ hooks }) => hooks.session.tap("odd", () => value as never));
    await browser.signInWith("credentials", LOVELACE);
    expect((await browser.get("/auth/session")).status).toBe(500);
    const [error] = log.expectErrors("JWTSessionError");
    expect(error?.cause?.err?.message).toContain(`${what("session")} ${type}. Return a session`);
  });

  it("locale: an object instead of a tag is logged, and the page is shown", async () => {
    const { fetch, log } = withTap((kernel) => {
      kernel.addLanguage({ tag: "nl", messages: { "signin.heading": "Welkom" } });
      kernel.hooks.locale.tap("odd", () => ({}) as never);
    });
    const response = await fetch("/auth/signin", { accept: "text/html", "accept-language": "nl" });
    expect(await response.text()).toContain("Welkom");
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(`${what("locale")} an object. Return a language tag`);
  });

  it.each([
    ["a boolean", true],
    ["null", null],
    ["a string", ""],
  ])("authorized: %s lets no one pass", async (type, value) => {
    const { auth } = withTap(({ hooks }) => hooks.authorized.tap("odd", () => value as never));
    await expect(auth.authorize(new Request(`${ORIGIN}/page`))).rejects.toThrow(
      `${what("authorized")} ${type}. Return false or a Response`,
    );
  });

  it("redirect: an object instead of a URL", async () => {
    const { browser, log } = withTap(({ hooks }) =>
      hooks.redirect.tap("odd", () => new URL(ORIGIN) as never),
    );
    await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/there" });
    expect(await browser.session()).toBeNull();
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(`${what("redirect")} an object. Return a URL as text`);
  });

  it.each([
    ["null", null],
    ["a number", 1],
    ["an object", {}],
  ])("signIn: %s refuses the sign-in", async (type, value) => {
    const { browser, log } = withTap(({ hooks }) => {
      hooks.signIn.tap("odd", () => value as never);
      hooks.signIn.tap("consents", () => true);
    });
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect(await browser.session()).toBeNull();
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(`${what("signIn")} ${type}. Return a boolean or a URL`);
  });

  it.each([
    ["a string", ""],
    ["a boolean", true],
    ["an object", {}],
  ])("login: %s instead of a URL signs no one in", async (type, value) => {
    const { browser, log } = withTap(({ hooks }) => hooks.login.tap("odd", () => value as never));
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect(await browser.session()).toBeNull();
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(`${what("login")} ${type}. Return a URL or a Response`);
  });

  it("ready ignores what its taps return", () => {
    const { auth } = withTap(({ hooks }) => hooks.ready.tap("odd", () => 5 as never));
    expect(auth.inspect().hooks.ready?.taps.map(({ name }) => name)).toContain("odd");
  });

  it("the error names the tap for the log, as other errors of taps do", () => {
    const { logger } = createLog();
    const { hooks } = createHooks({ plugin: "rubbish", frozen: false }, logger);
    hooks.locale.tap({ name: "odd", stage: "late" }, () => (() => {}) as never);
    try {
      void callHook(hooks.locale, {} as never);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        tap: { hook: "locale", name: "odd", plugin: "rubbish", stage: 10 },
        message: expect.stringContaining("returned a function") as string,
      });
    }
  });
});

describe("the application's callbacks behave as in Auth.js", () => {
  const signIn = async (callbacks: object) => {
    const app = createTestAuth({ callbacks: callbacks as CallbacksOptions });
    const response = await app.browser.signInWith("credentials", {
      ...LOVELACE,
      callbackUrl: "/there",
    });
    return { ...app, response };
  };

  it.each([[null], [false], [0], [""]])("jwt: %j creates no session", async (value) => {
    const { browser } = await signIn({ jwt: () => value });
    expect(await browser.session()).toBeNull();
  });

  it.each([[null], [false], [0], [""]])("session: %j shows no session", async (value) => {
    const { browser } = await signIn({ session: async () => value });
    expect(await browser.session()).toBeNull();
  });

  it.each([[null], [5], [""], [new URL("https://elsewhere.example")]])(
    "redirect: %s leads to the default target",
    async (value) => {
      const { response } = await signIn({ redirect: () => value });
      expect(response.headers.get("location")).toBe(`${ORIGIN}/there`);
    },
  );

  it.each([[undefined], [null], [0], [""], [{}]])("signIn: %j refuses", async (value) => {
    const { response, log } = await signIn({ signIn: () => value });
    expect(queryOf(response)).toEqual({ error: "AccessDenied" });
    log.expectErrors("AccessDenied");
  });

  it.each([[1], ["yes"], [{}]])("authorized: %j lets the request pass", async (value) => {
    const { auth } = createTestAuth({ callbacks: { authorized: () => value } });
    expect(await auth.authorize(new Request(`${ORIGIN}/page`))).toBeUndefined();
  });

  it.each([[false], [null], [undefined]])(
    "authorized: a promise of %j lets no one pass",
    async (value) => {
      const authorized = () => Promise.resolve(value as never);
      const { auth } = createTestAuth({ callbacks: { authorized } });
      expect((await auth.authorize(new Request(`${ORIGIN}/page`)))?.status).toBe(401);
    },
  );
});

describe("taps that never settle", () => {
  const hang = (hook: "request" | "signIn" | "response"): Plugin =>
    plugin("hang", ({ hooks }) => hooks[hook].tap("waits", () => new Promise<never>(() => {})));

  it.each(["request", "signIn", "response"] as const)(
    "a tap of %s that never settles ends after 10 seconds with an error that names it",
    async (hook) => {
      const { browser, log } = createTestAuth({ use: [hang(hook)] });
      const csrfToken = hook === "signIn" ? await browser.csrfToken() : "";
      vi.useFakeTimers();
      const pending =
        hook === "signIn"
          ? browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken })
          : browser.get("/auth/session");
      await vi.advanceTimersByTimeAsync(10_000);
      const response = await pending;
      expect(response.headers.get("set-cookie") ?? "").not.toContain("session-token");
      const [error] = log.expectErrors("PluginError");
      expect(error?.message).toBe(
        `The taps of the hook ${hook} took more than 10 seconds: "waits" (plugin hang) has not settled. Set ` +
          "a time limit for what it awaits.",
      );
    },
  );

  it.each([
    ["a Response", () => new Response("late")],
    ["nothing", () => undefined],
  ])("after its time limit a tap may return %s: no later tap runs", async (_, answer) => {
    vi.useFakeTimers();
    const later = vi.fn(() => undefined);
    const slow = plugin("slow", ({ hooks }) => {
      hooks.request.tap("slow", async () => {
        await new Promise((resolve) => setTimeout(resolve, 11_000));
        return answer();
      });
      hooks.request.tap("later", later);
    });
    const { browser, log } = createTestAuth({ use: [slow] });
    const pending = browser.get("/auth/session");
    await vi.advanceTimersByTimeAsync(12_000);
    expect((await pending).status).toBe(500);
    expect(later).not.toHaveBeenCalled();
    log.expectErrors("PluginError");
  });
});
