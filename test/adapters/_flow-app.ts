import { AsyncLocalStorage } from "node:async_hooks";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { customFetch, standardPreset } from "../../presets/index.ts";
import type { AuthError } from "../../src/errors.ts";
import { type Adapter, definePlugin, defineStore, type StoreBackend } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing/testing.ts";
import { createTestAuth, fetchSession, ORIGIN } from "../_app.ts";
import { clock, STORAGE_TIMEOUT } from "../stores/_racers.ts";

const SESSION_COOKIE = "authjs.session-token";
const DAY = 24 * 60 * 60 * 1000;

/** A cookie jar as data, which any process can continue with. */
export type Jar = [name: string, value: string][];

/** A step of a browser or of the application. */
export type Step =
  | { do: "start"; claims: { sub: string; email?: string } }
  | { do: "ask"; email: string }
  | { do: "go"; path: string }
  | { do: "look" }
  | { do: "leave" }
  | { do: "enroll"; email: string }
  | { do: "move"; userId: string; email: string }
  | { do: "find"; email: string };

/** A step and the cookies of the browser that takes it. */
export type Visit = Step & {
  jar?: Jar;
  /** Milliseconds to wait first. */
  delay?: number;
};

/** The session that `GET /session` returned. */
export interface Seen {
  userId: string;
  email: string | null;
  expires: string;
  /** Expiry of the cookie in seconds since the epoch, if the response set it. */
  cookieEnds?: number;
}

/** The outcome of a visit; times are nanoseconds of one clock. */
export interface Visited {
  began: string;
  ended: string;
  jar: Jar;
  /** The path of the redirect or link to continue with, or a user's id. */
  text: string | null;
  seen?: Seen;
  /** Types of logged errors, or the message of a thrown one. */
  errors: string[];
  /** Number of session records that this visit extended. */
  extended: number;
}

type Witness = Pick<Visited, "errors" | "extended">;

// The token and userinfo endpoints: the code itself contains the claims.
const acmeFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const isToken = new URL(request.url).pathname === "/token";
  const code = isToken ? new URLSearchParams(await request.text()).get("code") : "";
  return Response.json(
    isToken
      ? { access_token: code, token_type: "bearer" }
      : JSON.parse(atob(request.headers.get("authorization")?.slice("Bearer ".length) ?? "")),
  );
};

// Wraps the backend and counts the changes of session records per visit.
function watched(backend: StoreBackend, witnesses: AsyncLocalStorage<Witness>): StoreBackend {
  return {
    ...backend,
    async compareAndSet(key, ...rest) {
      const done = await backend.compareAndSet(key, ...rest);
      const witness = witnesses.getStore();
      if (done && witness && key.startsWith("adapter-session.")) witness.extended++;
      return done;
    },
  };
}

/** Creates an application with OAuth, e-mail links and database sessions, over shared records. */
export function createFlowApp(backend: StoreBackend) {
  const witnesses = new AsyncLocalStorage<Witness>();
  const links = new Map<string, string>();
  const note = (error: unknown) => {
    const { type, message } = error as AuthError;
    witnesses.getStore()?.errors.push(type ?? message);
  };
  const app = createTestAuth({
    preset: standardPreset,
    env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
    strategy: "database",
    storageTimeout: STORAGE_TIMEOUT,
    logger: { error: note, warn() {}, debug() {} },
    providers: [
      {
        id: "acme",
        name: "Acme",
        type: "oauth",
        authorization: "https://acme.example/authorize",
        token: "https://acme.example/token",
        userinfo: "https://acme.example/userinfo",
        clientId: "client",
        clientSecret: "secret",
        profile: ({ sub, email }) => ({ id: String(sub), email: email as string }),
        [customFetch]: acmeFetch,
      },
    ],
    mail: { sendVerificationRequest: ({ identifier, url }) => void links.set(identifier, url) },
    use: [
      defineStore(watched(backend, witnesses)),
      storeAdapter(),
      definePlugin({
        name: "test/user-id",
        setup(kernel) {
          kernel.hooks.session.tap("test/user-id", async (session, { user }) => ({
            ...session,
            userId: user?.id,
          }));
        },
      }),
    ],
  });
  const stored = app.kernel().adapter as Required<Adapter>;

  const pathOf = (url: string | null) => url?.replace(ORIGIN, "") ?? null;

  const take = async (step: Step, browser: Browser): Promise<Pick<Visited, "text" | "seen">> => {
    switch (step.do) {
      case "start": {
        const sent = await browser.signIn("acme");
        const asked = new URL(sent.headers.get("location") ?? "").searchParams;
        const code = btoa(JSON.stringify(step.claims));
        const answer = new URLSearchParams({ code, state: asked.get("state") ?? "" });
        return { text: pathOf(`${asked.get("redirect_uri")}?${answer}`) };
      }
      case "ask":
        await browser.signIn("mail", { email: step.email });
        return { text: pathOf(links.get(step.email) ?? null) };
      case "go": {
        const page = await browser.get(step.path);
        if (page.status !== 200) return { text: pathOf(page.headers.get("location")) };
        // A browser that did not request the link gets a page with a button.
        const csrfToken = /"csrfToken" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
        const { pathname, searchParams } = new URL(step.path, ORIGIN);
        const answer = await browser.post(pathname, {
          ...Object.fromEntries(searchParams),
          csrfToken,
        });
        return { text: pathOf(answer.headers.get("location")) };
      }
      case "look": {
        const answer = await fetchSession(browser);
        const session = (await answer.json()) as (Seen & { user: { email: string } }) | null;
        if (!session) return { text: null };
        const { userId, expires, user } = session;
        const set = answer.headers.getSetCookie().find((one) => one.startsWith(SESSION_COOKIE));
        const end = /; Expires=([^;]+)/i.exec(set ?? "")?.[1];
        const cookie = end === undefined ? {} : { cookieEnds: Date.parse(end) / 1000 };
        return { text: userId, seen: { userId, expires, email: user.email, ...cookie } };
      }
      case "leave":
        return { text: pathOf((await browser.signOut()).headers.get("location")) };
      case "enroll": {
        // The session began a day ago, so the next read must extend it.
        const { id } = await stored.createUser({ id: "", email: step.email, emailVerified: null });
        const sessionToken = crypto.randomUUID();
        const expires = new Date(Date.now() + 29 * DAY);
        await stored.createSession({ sessionToken, userId: id, expires });
        browser.cookies.set(SESSION_COOKIE, sessionToken);
        return { text: id };
      }
      case "move": {
        const { email } = await stored.updateUser({ id: step.userId, email: step.email });
        return { text: email };
      }
      case "find":
        return { text: (await stored.getUserByEmail(step.email))?.id ?? null };
    }
  };

  return {
    /** Takes a step and returns its outcome. */
    async visit({ jar = [], delay = 0, ...step }: Visit): Promise<Visited> {
      if (delay) await new Promise((resolve) => setTimeout(resolve, delay));
      const browser = app.openBrowser();
      for (const [name, value] of jar) browser.cookies.set(name, value);
      const witness: Witness = { errors: [], extended: 0 };
      const began = clock();
      const taken = await witnesses.run(witness, async () => {
        try {
          return await take(step, browser);
        } catch (error) {
          note(error);
          return { text: null };
        }
      });
      return { began, ended: clock(), jar: [...browser.cookies], ...taken, ...witness };
    },
  };
}
