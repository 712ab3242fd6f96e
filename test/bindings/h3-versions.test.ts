import { H3, HTTPError } from "h3";
import {
  createApp,
  createError,
  createRouter,
  defineEventHandler,
  type H3Event as H3V1Event,
  toWebHandler,
} from "h3-v1";
import { describe, expect, it } from "vitest";
import { createAuth, type H3Members } from "../../presets/h3.ts";
import { createTokens } from "../../src/crypto/token.ts";
import { AuthError, BadRequest } from "../../src/errors.ts";
import {
  type Auth,
  type AuthConfig,
  definePlugin,
  type RequestSource,
  type Session,
} from "../../src/kernel.ts";
import { ADA, LOVELACE, ORIGIN, SECRET, setCookie, setCookieNames } from "../_app.ts";
import { buildConfig } from "./_suite.ts";

const NAME = "authjs.session-token";
const ALWAYS: AuthConfig = { session: { updateAge: 0 } };

interface Refusing {
  refuse(call: RequestSource): Promise<void>;
}

/** Adds a server function that throws an error of Keyhook. */
const refusing = definePlugin<Refusing>({
  name: "refusing",
  setup() {},
  extend: (run) => ({
    refuse: (call) =>
      run(call, async () => {
        throw new BadRequest("Not so.");
      }),
  }),
});

type Context = { getSession?: () => Promise<Session | null> };
type Route = (auth: Auth & H3Members, event: H3V1Event & { context: Context }) => unknown;

// The same routes run on both versions.
const routes: Record<string, Route> = {
  "/me": async (_, { context }) => (await context.getSession?.()) ?? "nobody",
  "/twice": async (auth, event) => [
    await event.context.getSession?.(),
    await auth.getSession(event),
  ],
  "/required": async (auth, event) => (await auth.requireSession(event)).user?.name,
  "/posted": (auth, event) => auth.verifyCsrfToken(event, "wrong"),
  "/wrong": (auth, event) => auth.signIn(event, "credentials", { username: "eve", password: "x" }),
  "/of-a-plugin": (auth, event) =>
    (auth as Auth & H3Members & Refusing).refuse(event as unknown as RequestSource),
  "/fresh": async (auth, event) => (await auth.requireFreshSession(event)).user?.name,
  "/in": (auth, event) =>
    auth.signIn(event, "credentials", { ...LOVELACE, redirectTo: "/welcome" }),
  "/renamed": async (auth, event) => {
    await event.context.getSession?.();
    await auth.update(event, { name: "Countess" });
    return event.context.getSession?.();
  },
  "/renamed-twice": async (auth, event) => {
    await auth.update(event, { name: "Countess" });
    await auth.update(event, { title: "of Lovelace" });
    return auth.getSession(event);
  },
  "/in-and-read": async (auth, event) => {
    const before = await event.context.getSession?.();
    await auth.signIn(event, "credentials", { ...LOVELACE, redirect: false });
    return [before ?? "nobody", await event.context.getSession?.()];
  },
  "/in-renamed-out": async (auth, event) => {
    await auth.signIn(event, "credentials", { ...LOVELACE, redirect: false });
    const renamed = await auth.update(event, { name: "Countess" });
    await auth.signOut(event, { redirect: false });
    return [renamed, (await auth.getSession(event)) ?? "nobody"];
  },
  "/out": async (auth, event) => {
    await auth.signOut(event, { redirect: false });
    return (await event.context.getSession?.()) ?? "nobody";
  },
  "/cached": async (_, { context }) => {
    Object.assign(context, { cache: { options: {} } });
    const read = context.getSession?.() ?? Promise.resolve(null);
    return { text: await read.then(() => "read", String) };
  },
};

type Fetch = (request: Request) => Promise<Response>;

const versions: Record<string, (config: AuthConfig, seen: unknown[]) => Fetch> = {
  "h3 1": (config, seen) => {
    const auth = createAuth(config).use(refusing);
    const router = createRouter();
    for (const [path, route] of Object.entries(routes)) {
      router.use(
        path,
        defineEventHandler((event) => route(auth, event as never)),
      );
    }
    router.use(
      "/fails",
      defineEventHandler(async (event) => {
        await auth.getSession(event);
        throw createError({ statusCode: 418 });
      }),
    );
    const onError = (error: Error) => void seen.push(error);
    return toWebHandler(createApp({ onError }).use(auth.middleware).use(router));
  },
  "h3 2": (config, seen) => {
    const auth = createAuth(config).use(refusing);
    const onError = (error: Error) => void seen.push(error);
    const app = new H3({ onError }).use(auth.middleware);
    for (const [path, route] of Object.entries(routes)) {
      app.all(path, (event) => route(auth, event as never));
    }
    app.get("/fails", async (event) => {
      await auth.getSession(event);
      throw new HTTPError({ status: 418 });
    });
    return async (request) => app.fetch(request);
  },
};

async function sessionCookie(): Promise<string> {
  const token = { sub: ADA.id, name: ADA.name, email: ADA.email };
  const sealed = { token, secret: SECRET, salt: NAME, maxAge: 3600 };
  return `${NAME}=${await createTokens().encode(sealed)}`;
}

describe.each(Object.entries(versions))("keyhook/h3 on %s", (_, build) => {
  const visit = async (path: string, config: AuthConfig = {}, init: RequestInit = {}) => {
    const seen: unknown[] = [];
    const headers = { cookie: await sessionCookie(), ...(init.headers as object) };
    const request = new Request(ORIGIN + path, { ...init, headers });
    return { response: await build(buildConfig(config), seen)(request), seen };
  };
  const stranger = { headers: { cookie: "" } };

  it("context.getSession returns the session, and no cache stores the response", async () => {
    const { response } = await visit("/me");
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    const { response: other } = await visit("/me", {}, stranger);
    expect(await other.text()).toBe("nobody");
    expect(other.headers.get("cache-control")).toBe("private, no-store");
  });

  it("two reads in one request renew the session once", async () => {
    const { response } = await visit("/twice", ALWAYS);
    expect(await response.json()).toMatchObject([
      { user: { name: "Ada" } },
      { user: { name: "Ada" } },
    ]);
    expect(setCookieNames(response)).toEqual([NAME]);
  });

  it("requireSession without a session throws an error that h3 responds to with 401", async () => {
    const { response, seen } = await visit("/required", {}, stranger);
    expect(response.status).toBe(401);
    expect(await response.text()).toContain("SessionRequired");
    expect(seen).toMatchObject([{ unhandled: false, type: "SessionRequired" }]);
    expect(await (await visit("/required")).response.text()).toBe("Ada");
    const posted = { method: "POST", headers: { cookie: "" } };
    expect((await visit("/required", {}, posted)).response.status).toBe(401);
  });

  it.each([
    ["/posted", "MissingCSRF", 403],
    ["/wrong", "CredentialsSignin", 401],
    ["/of-a-plugin", "BadRequest", 400],
  ])("h3 responds to what %s throws, %s, with its status", async (path, type, status) => {
    const headers = { cookie: "", origin: ORIGIN };
    const { response, seen } = await visit(path, {}, { method: "POST", headers });
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(text).toContain(type);
    // The message is for the developer: a message of an application may reveal which users exist.
    expect(text).not.toMatch(/Not so|`authorize`|GET \/csrf/);
    expect(seen).toMatchObject([{ unhandled: false, type, public: true }]);
    expect((seen[0] as Error).message).toBe(status === 401 ? "Unauthorized" : "Refused");
    expect(seen[0]).toBeInstanceOf(AuthError);
    expect(seen[0]).toMatchObject({ cause: { err: { name: type } } });
  });

  it("requireFreshSession refuses the session of an earlier sign-in with 401", async () => {
    // The token does not contain the time of the sign-in.
    const config = { session: { absoluteMaxAge: 86_400 } };
    const { response } = await visit("/fresh", config);
    expect(response.status).toBe(401);
    expect(await response.text()).toContain("FreshSessionRequired");
    expect(await (await visit("/fresh", { session: { freshAge: 0 } })).response.text()).toBe("Ada");
    expect((await visit("/fresh", config, stranger)).response.status).toBe(401);
  });

  it("an error of the application keeps its status after a read", async () => {
    expect((await visit("/fails", ALWAYS)).response.status).toBe(418);
  });

  it("signIn, update and signOut set their cookies, and the next read returns the changed session", async () => {
    const { response: signedIn } = await visit("/in", {}, stranger);
    expect(signedIn.headers.get("location")).toBe(`${ORIGIN}/welcome`);
    expect(setCookieNames(signedIn)).toContain(NAME);
    const { response: renamed } = await visit("/renamed");
    expect(await renamed.json()).toMatchObject({ user: { name: "Countess" } });
    expect(setCookie(renamed, NAME)).toContain("=eyJ");
    const { response: out } = await visit("/out");
    expect(await out.text()).toBe("nobody");
    expect(setCookie(out, NAME)).toContain("Max-Age=0");
  });

  it("after a sign-in the same request reads the new session, and its response sets each cookie once", async () => {
    for (const config of [{}, ALWAYS]) {
      const { response } = await visit("/in-and-read", config, stranger);
      expect(await response.json()).toMatchObject(["nobody", { user: { name: "Ada" } }]);
      const names = setCookieNames(response);
      expect(names.filter((name) => name === NAME)).toEqual([NAME]);
      expect(setCookie(response, NAME)).toContain("=eyJ");
    }
  });

  it("each change of a session starts from the one before it in the same request", async () => {
    const callbacks: AuthConfig["callbacks"] = {
      jwt: ({ token, trigger, session }) =>
        trigger === "update" ? { ...token, ...(session as object) } : token,
      session: ({ session, token }) => ({ ...session, ...token }),
    };
    const { response } = await visit("/renamed-twice", { callbacks });
    expect(await response.json()).toMatchObject({ name: "Countess", title: "of Lovelace" });
    expect(setCookieNames(response)).toEqual([NAME]);
    const { response: out } = await visit("/in-renamed-out", {}, stranger);
    expect(await out.json()).toMatchObject([{ user: { name: "Countess" } }, "nobody"]);
    expect(setCookieNames(out).filter((name) => name === NAME)).toEqual([NAME]);
    expect(setCookie(out, NAME)).toContain("Max-Age=0");
  });

  it("a session is not read in a cached handler", async () => {
    expect(await (await visit("/cached")).response.text()).toContain("cached handler");
  });
});
