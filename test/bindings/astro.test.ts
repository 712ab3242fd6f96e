import { describe, expect, it } from "vitest";
import { type AstroContext, createAuth } from "../../presets/astro.ts";
import { MissingAdapter } from "../../src/errors.ts";
import { serializeCookie } from "../../src/http/cookies.ts";
import { encode } from "../../src/jwt.ts";
import type { AuthConfig, CookieAttributes, JWT, Session } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { ADA, LOVELACE, ORIGIN, SECRET, setCookie } from "../_app.ts";
import { createAstroContext } from "./_faces.ts";
import { buildConfig } from "./_suite.ts";

const NAME = "authjs.session-token";
const HTML = { accept: "text/html" };

const ADAS = { sub: ADA.id, name: ADA.name, email: ADA.email };

async function sealSession(token: JWT = ADAS): Promise<string> {
  return `${NAME}=${await encode({ token, secret: SECRET, salt: NAME, maxAge: 3600 })}`;
}

const create = (config: AuthConfig = {}) => createAuth(buildConfig(config));
const open = (path: string, init: RequestInit = {}, over = {}) =>
  createAstroContext(new Request(ORIGIN + path, init), over);
const page = async () => new Response("the page");
const readSession = ({ locals }: { locals: object }) =>
  (locals as { auth(): Promise<Session | null> }).auth();

describe("the middleware of keyhook/astro", () => {
  it("responds below the base path, and passes other paths on", async () => {
    const { onRequest } = create();
    const csrf = await onRequest(open("/auth/csrf"), page);
    expect(await csrf.json()).toHaveProperty("csrfToken");
    expect(await (await onRequest(open("/csrf"), page)).text()).toBe("the page");
  });

  it("a page reads its session once, sets the renewed cookie once, and is private", async () => {
    let reads = 0;
    const session = ({ session: one }: { session: object }) => {
      reads++;
      return one;
    };
    const { onRequest, getSession } = create({ session: { updateAge: 0 }, callbacks: { session } });
    const context = open("/", { headers: { cookie: await sealSession() } });
    const response = await onRequest(context, async () => {
      expect(await readSession(context)).toMatchObject({ user: { name: "Ada" } });
      expect(await getSession(context)).toMatchObject({ user: { name: "Ada" } });
      return new Response("of Ada", { headers: { "cache-control": "public, max-age=60" } });
    });
    expect(reads).toBe(1);
    expect([...context.set.keys()]).toEqual([NAME]);
    expect(context.attributes.get(NAME)).toMatchObject({
      httpOnly: true,
      path: "/",
      sameSite: "lax",
    });
    expect(response.headers.get("cache-control")).toContain("private");
    expect(response.headers.get("cache-control")).not.toContain("public");
  });

  it("despite caching headers of middleware in front, no cache stores a response for one visitor", async () => {
    const { onRequest } = create();
    const ask = async (path: string, respond: (context: AstroContext) => Promise<Response>) => {
      const context = open(path, { headers: { cookie: await sealSession() } });
      const { headers } = await onRequest(context, async () => respond(context));
      headers.set("cache-control", "public, max-age=60");
      headers.set("CDN-Cache-Control", "max-age=60");
      return [headers.get("cache-control"), headers.has("cdn-cache-control")];
    };
    const reads = async (context: AstroContext) => {
      await readSession(context);
      return page();
    };
    expect(await ask("/auth/session", page)).toEqual(["private, no-store", false]);
    expect(await ask("/", reads)).toEqual(["private, no-store", false]);
    expect(await ask("/", page)).toEqual(["public, max-age=60", true]);
  });

  describe("with a route rule that stores responses in the cache of Astro, whatever their headers say", () => {
    const visit = async (path: string, respond: (context: AstroContext) => Promise<Response>) => {
      const stored = { options: { maxAge: 60 } as { maxAge?: number } };
      const set = (input: { maxAge: number } | false) => void (stored.options = input || {});
      const cache = {
        enabled: true,
        set,
        get options() {
          return stored.options;
        },
      };
      const { onRequest } = create();
      const headers = { cookie: await sealSession(), accept: "text/html" };
      const context = open(path, { headers }, { cache });
      const response = await onRequest(context, async () => respond(context)).catch(
        () => undefined,
      );
      return { response, isStored: stored.options.maxAge !== undefined };
    };

    it.each(["/auth/session", "/auth/csrf", "/auth/signin"])("%s is not stored", async (path) => {
      expect((await visit(path, page)).isStored).toBe(false);
    });

    it("a page that reads the session is not stored, even if it sets a cache rule afterwards or fails", async () => {
      expect((await visit("/", page)).isStored).toBe(true);
      const reads = async (context: AstroContext) => {
        await readSession(context);
        (context.cache as unknown as { set(input: object): void }).set({ maxAge: 60 });
        return page();
      };
      expect((await visit("/", reads)).isStored).toBe(false);
      const fails = async (context: AstroContext) => {
        await readSession(context);
        throw new Error("after the read");
      };
      expect(await visit("/", fails)).toMatchObject({ response: undefined, isStored: false });
    });

    it("reading a session while a stored page is streamed is refused", async () => {
      let read: (() => Promise<unknown>) | undefined;
      await visit("/", async (context) => {
        read = async () => readSession(context);
        return page();
      });
      await expect(read?.()).rejects.toThrow("while the page was streamed");
    });

    it("the redirect of a visitor without a session to the sign-in page is not stored", async () => {
      const { onRequest, requireSession } = create();
      const given: unknown[] = [];
      const cache = {
        enabled: true,
        options: { maxAge: 60 },
        set: (one: false) => void given.push(one),
      };
      const context = open("/locked", { headers: HTML }, { cache });
      const response = await onRequest(context, async () => {
        await requireSession(context);
        return page();
      });
      expect(response.status).toBe(302);
      expect(given.at(-1)).toBe(false);
    });

    it("the cache of an application that has none is not called, because Astro would warn", async () => {
      const cache = { enabled: false, options: {}, set: () => expect.unreachable() };
      const { onRequest } = create();
      const context = open("/", {}, { cache });
      await onRequest(context, async () => {
        await readSession(context);
        return page();
      });
      expect((await onRequest(open("/auth/csrf", {}, { cache }), page)).status).toBe(200);
    });
  });

  it("a sign-out or a sign-in is not undone when middleware in front has renewed the session", async () => {
    const auth = create({ session: { updateAge: 0 } });
    // As in Astro: cookies that were set for a request follow the cookies of the response.
    const visit = async (request: Request) => {
      const context = createAstroContext(request);
      await auth.getSession(context);
      const response = await auth.onRequest(context, page);
      const headers = new Headers(response.headers);
      for (const [name, value] of context.set) {
        const attributes = context.attributes.get(name) as CookieAttributes;
        headers.append("set-cookie", serializeCookie({ name, value, attributes }));
      }
      return new Response(response.body, { status: response.status, headers });
    };
    const browser = createBrowser(visit, { origin: ORIGIN });
    browser.cookies.set(
      NAME,
      (await sealSession({ sub: "2", name: "Bob" })).slice(NAME.length + 1),
    );
    expect(await browser.session()).toMatchObject({ user: { name: "Bob" } });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    await browser.signOut();
    expect(browser.cookies.has(NAME)).toBe(false);
    expect(await browser.session()).toBeNull();
  });

  it("a sign-out removes every part of a session that middleware in front has renewed", async () => {
    const jwt = ({ token }: { token: object }) => ({ ...token, large: "x".repeat(6000) });
    const auth = create({ session: { updateAge: 0 }, callbacks: { jwt } });
    const session = await sealSession();
    const csrf = await auth.onRequest(open("/auth/csrf", { headers: { cookie: session } }), page);
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const pair = setCookie(csrf, "authjs.csrf-token")?.split(";", 1)[0] ?? "";
    const cookie = `${pair}; ${session}`;
    const body = new URLSearchParams({ csrfToken });
    const context = open("/auth/signout", { method: "POST", headers: { cookie }, body });
    await auth.getSession(context);
    expect(context.set.get(`${NAME}.0`)).toBeTruthy();
    const response = await auth.onRequest(context, page);
    expect(response.headers.getSetCookie().join()).toContain(`${NAME}=;`);
    const parts = [...context.set].filter(([name]) => name.startsWith(NAME));
    expect(parts.filter(([, value]) => value !== "")).toEqual([]);
  });

  it("the application decides on caching of a page that reads no session", async () => {
    const headers = { "cache-control": "public, max-age=60" };
    const sent = open("/", { headers: { cookie: await sealSession() } });
    const response = await create().onRequest(sent, async () => new Response("x", { headers }));
    expect(response.headers.get("cache-control")).toBe("public, max-age=60");
    expect(sent.set.size).toBe(0);
  });

  it("a prerendered page has no session and boots nothing, and its server functions are refused", async () => {
    const { onRequest, guard, getSession } = createAuth({ providers: [{} as never] });
    const context = open("/about", {}, { isPrerendered: true });
    const response = await onRequest(context, async () => {
      expect(await readSession(context)).toBeNull();
      return page();
    });
    expect(await response.text()).toBe("the page");
    expect(await (await guard(context, page)).text()).toBe("the page");
    await expect(getSession(context)).rejects.toThrow("/about is prerendered for all visitors");
  });

  it("an adapter that does not know the client's address causes no error", async () => {
    const context = open("/");
    Object.defineProperty(context, "clientAddress", {
      get() {
        throw new Error("not available");
      },
    });
    expect(await (await create().onRequest(context, page)).text()).toBe("the page");
  });
});

describe("requireFreshSession() of keyhook/astro", () => {
  const visit = async (session: NonNullable<AuthConfig["session"]>, init: RequestInit) => {
    const { onRequest, requireFreshSession } = create({ session });
    const context = open("/locked", { headers: { ...init.headers, cookie: await sealSession() } });
    return onRequest(context, async () => {
      const { user } = await requireFreshSession(context);
      return new Response(user?.name);
    });
  };

  it("redirects a browser whose user signed in earlier to the sign-in page, which explains why", async () => {
    const response = await visit({ absoluteMaxAge: 86_400 }, { headers: HTML });
    const url = new URL(response.headers.get("location") ?? "");
    expect([response.status, url.pathname]).toEqual([302, "/auth/signin"]);
    expect(url.searchParams.get("error")).toBe("FreshSessionRequired");
    expect(url.searchParams.get("callbackUrl")).toBe(`${ORIGIN}/locked`);
    expect((await visit({ absoluteMaxAge: 86_400 }, {})).status).toBe(401);
  });

  it("passes a user whose sign-in is fresh enough", async () => {
    expect(await (await visit({ freshAge: 0 }, { headers: HTML })).text()).toBe("Ada");
  });
});

describe("requireSession() of keyhook/astro", () => {
  const visit = async (path: string, init: RequestInit = {}) => {
    const { onRequest, requireSession } = create();
    const context = open(path, init);
    return onRequest(context, async () => {
      const { user } = await requireSession(context);
      return new Response(user?.name);
    });
  };

  it("passes a user with a session", async () => {
    const response = await visit("/locked", { headers: { cookie: await sealSession() } });
    expect(await response.text()).toBe("Ada");
  });

  it("redirects a browser to the sign-in page, and back to the page with its query", async () => {
    const response = await visit("/locked?x=1", { headers: HTML });
    const url = new URL(response.headers.get("location") ?? "");
    expect([response.status, url.pathname]).toEqual([302, "/auth/signin"]);
    expect(url.searchParams.get("callbackUrl")).toBe(`${ORIGIN}/locked?x=1`);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });

  it("redirects a browser that posted a form by GET, and back to the page without the action", async () => {
    const response = await visit("/locked?_action=rename", { method: "POST", headers: HTML });
    const url = new URL(response.headers.get("location") ?? "");
    expect([response.status, url.pathname]).toEqual([303, "/auth/signin"]);
    expect(url.searchParams.get("callbackUrl")).toBe(`${ORIGIN}/locked`);
  });

  it("refuses scripts with 401 and the reason, which no cache stores", async () => {
    const response = await visit("/locked");
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: "SessionRequired" });
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });

  it("does not change the application's own errors", async () => {
    const { onRequest } = create();
    for (const error of [new Error("mine"), new MissingAdapter("mine")]) {
      const failing = onRequest(open("/", { headers: HTML }), async () => {
        throw error;
      });
      await expect(failing).rejects.toBe(error);
    }
  });
});

describe("the guard of keyhook/astro", () => {
  it("lets visitors see and post the sign-in page, but not run an action through it", async () => {
    const pages = { signIn: "/login" };
    const { guard } = create({ pages, callbacks: { authorized: ({ auth }) => !!auth } });
    const post = { method: "POST" };
    expect(await (await guard(open("/login?_action=leak"), page)).text()).toBe("the page");
    expect(await (await guard(open("/login", post), page)).text()).toBe("the page");
    for (const path of ["/login", "/login/", "/auth/session", "/"]) {
      const response = await guard(open(`${path}?x=1&_action=leak`, post), page);
      expect([path, response.status]).toEqual([path, 401]);
    }
    const cookie = await sealSession();
    const own = open("/login?_action=leak", { ...post, headers: { cookie } });
    expect(await (await guard(own, page)).text()).toBe("the page");
  });

  it("calls `authorized`, and passes what it does not refuse", async () => {
    const { guard } = create({ callbacks: { authorized: ({ auth }) => !!auth } });
    const refused = await guard(open("/locked?x=1", { headers: HTML }), page);
    expect(refused.headers.get("location")).toContain("/auth/signin?callbackUrl=");
    expect((await guard(open("/locked", { method: "POST" }), page)).status).toBe(401);
    const cookie = await sealSession();
    const passed = await guard(open("/locked", { headers: { ...HTML, cookie } }), page);
    expect(await passed.text()).toBe("the page");
  });
});

describe("server functions of keyhook/astro", () => {
  it("a context signs in, updates and signs out, and its next read shows the change", async () => {
    const { getSession, signIn, update, signOut } = create();
    const context = open("/login", { method: "POST" });
    expect(await getSession(context)).toBeNull();
    const options = { ...LOVELACE, redirect: false, redirectTo: "/in" };
    expect(await signIn(context, "credentials", options)).toBe(`${ORIGIN}/in`);
    expect(await getSession(context)).toMatchObject({ user: { name: "Ada" } });
    expect(await update(context, { name: "Countess" })).toMatchObject({
      user: { name: "Countess" },
    });
    await signOut(context, { redirect: false });
    expect(await getSession(context)).toBeNull();
    expect(context.set.get(NAME)).toBe("");
  });

  it("a Request instead of a context is read as in other bindings", async () => {
    const { getSession } = create();
    const request = new Request(ORIGIN, { headers: { cookie: await sealSession() } });
    expect(await getSession(request as never)).toMatchObject({ user: { name: "Ada" } });
  });
});
