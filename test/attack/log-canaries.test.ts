import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { defineStore } from "../../src/kernel.ts";
import { createIdentityProvider, type IdentityProvider } from "../../src/testing/testing.ts";
import type {
  Adapter,
  AuthContext,
  Kernel,
  Logger,
  Plugin,
  StoreBackend,
} from "../../src/types.ts";
import { createTestAuth } from "../_app.ts";
import { pickCases } from "../_scale.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { OPERATIONS } from "../stores/_operations.ts";

const EMAIL = "canary@example.com";
// A driver that quotes the password escapes it, so no word of it may remain.
const WORDS = ["armadillos", "pangolins", "aardvarks"];
const PASSWORD = `${WORDS[0]} "${WORDS[1]}" \\${WORDS[2]}'s`;
const SECRET_FIELD = /token|email|identifier|password|code|verifier|state|nonce|secret/i;

/** Errors of drivers, which quote the arguments of the call. */
const STYLES: Record<string, (args: readonly unknown[]) => Error> = {
  "as JSON": (args) => new Error(`query failed with ${JSON.stringify(args)}`),
  "as an inspected value": (args) => new Error(`query failed with ${inspect(args, { depth: 9 })}`),
  "in fields": (args) => Object.assign(new Error("failed"), { parameters: args, code: "23505" }),
  "in a chain of causes": (args) => {
    const inner = Object.assign(new Error(`values (${listTexts(args).join(", ")})`), { args });
    return new Error("outer", { cause: new Error("middle", { cause: inner }) });
  },
  "among several": (args) => new AggregateError([new Error(listTexts(args).join(" "))], "several"),
  "as PostgreSQL does": (args) => {
    const detail = `Key (email)=(${listTexts(args).join(")=(")}) already exists.`;
    return Object.assign(new Error(`duplicate key: ${detail}`), { code: "23505", detail });
  },
  "in a message that was changed later": (args) => {
    const error = new Error(`    at ${listTexts(args).join("\n    at ")}`);
    error.message = "changed";
    return error;
  },
};

function listTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}

// Texts in fields with such names, and arguments that consist of a token.
function listSecrets(value: unknown, name = ""): string[] {
  if (typeof value === "string") return SECRET_FIELD.test(name) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => listSecrets(inner, key));
}

/** A log at every level, as text, with everything that an error shows. */
function createRecorder() {
  const lines: string[] = [];
  const write = (...args: unknown[]) =>
    void lines.push(args.map((arg) => inspect(arg, { depth: 20, showHidden: true })).join(" "));
  const logger: Required<Logger> = { error: write, warn: write, debug: write };
  return { lines, logger, write };
}

const CONSOLE = ["error", "warn", "debug"] as const;

/** Runs every kind of sign-in with everything that an application does. */
async function visit(app: ReturnType<typeof createApp>): Promise<void> {
  const { browser, idp } = app;
  const tolerate = async (work: () => Promise<unknown>) => void (await work().catch(() => {}));
  await tolerate(() =>
    browser.signInWith("credentials", { username: "canary", password: PASSWORD }),
  );
  await tolerate(() => browser.signInAs({ sub: "9", email: EMAIL, email_verified: true }));
  await tolerate(() => browser.get("/auth/session"));
  await tolerate(() => browser.get("/auth/account"));
  await tolerate(() => browser.signOut());
  browser.cookies.clear();
  await tolerate(() => app.requestLink(EMAIL));
  await tolerate(() => app.followLink());
  await tolerate(() => browser.get("/auth/session"));
  await tolerate(() => browser.signOut());
  idp.refuse = `access_denied for ${EMAIL}` as never;
  await tolerate(() => browser.signInAs());
  idp.refuse = undefined;
}

function createApp(
  fail: (name: string, args: readonly unknown[]) => void,
  given: { logger?: Logger; store?: StoreBackend; use?: readonly Plugin[] } = {},
) {
  const backend = memoryBackend();
  const rows = adapterOn(backend);
  const secrets = new Set<string>([EMAIL, PASSWORD, ...WORDS]);
  const adapter = Object.fromEntries(
    Object.entries(rows).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        for (const secret of listSecrets(args)) secrets.add(secret);
        if (typeof args[0] === "string" && /Session/.test(name)) secrets.add(args[0]);
        fail(name, args);
        const row = await (method as (...all: unknown[]) => Promise<unknown>)(...args);
        for (const secret of listSecrets(row)) secrets.add(secret);
        return row;
      },
    ]),
  ) as Adapter;
  const idp = createIdentityProvider();
  const app = createTestAuth({
    preset: standardPreset,
    errors: "allowed",
    adapter,
    strategy: "database",
    idp,
    debug: true,
    providers: [
      {
        id: "credentials",
        name: "Credentials",
        type: "credentials",
        credentials: { username: {}, password: {} },
        authorize: (fields: Record<string, unknown>) => {
          fail("authorize", [fields]);
          return fields.password === PASSWORD ? { id: "1", email: EMAIL, name: "Canary" } : null;
        },
      },
      idp.provider({ type: "oauth" } as never),
    ],
    mail: {},
    ...given,
    use: [defineStore(given.store ?? backend), ...(given.use ?? [])],
  } as never);
  return { ...app, idp, secrets };
}

function expectNoCanary(lines: readonly string[], secrets: ReadonlySet<string>, sent: string[]) {
  const all = lines.join("\n");
  expect(all.length).toBeGreaterThan(0);
  const words = new Set(["bearer", "Bearer", "oauth", "email", "credentials"]);
  for (const secret of [...secrets, ...sent]) {
    if (secret.length < 8 || words.has(secret)) continue;
    expect(all, secret).not.toContain(secret);
  }
}

const CALLBACKS = ["signIn", "jwt", "session", "redirect", "authorize", "sendVerificationRequest"];
const EVENTS = ["signIn", "createUser", "linkAccount", "session", "signInFailed"];
const HOOKS = ["request", "response", "login", "error"];

describe("the log contains no token and no address at any level", () => {
  afterEach(() => void vi.restoreAllMocks());

  const methods = Object.keys(adapterOn(memoryBackend()));

  const rows = Object.entries(STYLES).map(([style, make], row) => [style, make, row] as const);
  describe.each(rows)("if errors quote their arguments %s", (_, make, row) => {
    it.each(pickCases([...methods, "authorize"], row))(
      "the adapter's %s fails, with the application's logger",
      async (method) => {
        const { lines, logger } = createRecorder();
        const app = createApp(
          (name, args) => {
            if (name === method) throw make(args);
          },
          { logger },
        );
        await visit(app);
        expectNoCanary(lines, app.secrets, [...app.browser.cookies.values()]);
      },
    );
  });

  describe.each(rows)("if errors quote the given values, %s", (_, make, row) => {
    it.each(pickCases(OPERATIONS, row))("the store's %s fails", async (method) => {
      const { lines, logger } = createRecorder();
      const backend = memoryBackend();
      const store = { ...backend, [method]: (...args: unknown[]) => Promise.reject(make(args)) };
      const app = createApp(() => {}, { logger, store });
      await visit(app);
      expectNoCanary(lines, app.secrets, [...app.browser.cookies.values()]);
    });

    it.each(pickCases(CALLBACKS, row))("the application's %s fails", async (name) => {
      const { lines, logger } = createRecorder();
      const quote = (...args: unknown[]): never => {
        throw make(args);
      };
      const app = createApp(() => {}, { logger, callbacks: { [name]: quote } } as never);
      await visit(app);
      expectNoCanary(lines, app.secrets, [...app.browser.cookies.values()]);
    });

    it.each(pickCases(EVENTS, row))("a listener of %s fails", async (name) => {
      const { lines, logger } = createRecorder();
      const quote = async (message: unknown) => {
        throw make([message]);
      };
      const app = createApp(() => {}, { logger, events: { [name]: quote } } as never);
      await visit(app);
      expectNoCanary(lines, app.secrets, [...app.browser.cookies.values()]);
    });

    it.each(pickCases(HOOKS, row))("a tap of %s quotes the request", async (hook) => {
      const { lines, logger } = createRecorder();
      const sent: string[] = [];
      const tap = async (...args: unknown[]): Promise<never> => {
        const ctx = args.findLast(
          (arg) => typeof (arg as AuthContext).body === "function",
        ) as AuthContext;
        const cookie = ctx.request.headers.get("cookie") ?? "";
        const parts = [cookie, ctx.url.href, ...listTexts(await ctx.body())];
        sent.push(
          ...cookie.split(/; |=/).filter((part) => part.length > 24),
          ...ctx.url.searchParams.values(),
        );
        throw make(parts);
      };
      const app = createApp(() => {}, {
        logger,
        use: [
          {
            name: "quoting",
            setup: ({ hooks }: Kernel) =>
              (hooks as never as Record<string, { tap(name: string, tap: unknown): void }>)[
                hook
              ]!.tap("quoting", tap),
          },
        ],
      } as never);
      await visit(app);
      expectNoCanary(
        lines,
        app.secrets,
        sent.filter((text) => !text.startsWith("authjs") && !text.startsWith("http")),
      );
    });
  });

  it.each<[string, IdentityProvider["tamper"]]>([
    [
      "token response",
      {
        token: (body: object) => ({
          ...body,
          error: "bad",
          error_description: JSON.stringify(body),
        }),
      } as never,
    ],
    ["userinfo", { userinfo: (body: object) => ({ error: JSON.stringify(body) }) } as never],
  ])("if a %s quotes the request", async (_, tamper) => {
    const { lines, logger } = createRecorder();
    const app = createApp(() => {}, { logger });
    app.idp.tamper = tamper;
    await visit(app);
    expectNoCanary(lines, app.secrets, [...app.browser.cookies.values(), "access-token-1"]);
  });

  it("if the adapter fails during a passkey ceremony", async () => {
    for (const method of [
      "createAuthenticator",
      "createUserWithAccount",
      "getAuthenticator",
      "getUserByEmail",
    ]) {
      const { lines, logger } = createRecorder();
      const rows = adapterOn(memoryBackend());
      const adapter = {
        ...rows,
        [method]: (...args: unknown[]) => Promise.reject(new Error(JSON.stringify(args))),
      };
      const app = createPasskeyApp({ adapter, logger, errors: "allowed" });
      // oxlint-disable-next-line no-await-in-loop -- few
      await app.register(EMAIL).catch(() => {});
      // oxlint-disable-next-line no-await-in-loop -- few
      await app.signIn().catch(() => {});
      expectNoCanary(lines, new Set([EMAIL]), [...app.browser.cookies.values()]);
    }
  });

  it.each(Object.entries(STYLES))("if errors quote %s on the console", async (_, make) => {
    const { lines, write } = createRecorder();
    for (const level of CONSOLE) vi.spyOn(console, level).mockImplementation(write);
    for (const method of [
      "createSession",
      "getUserByEmail",
      "createVerificationToken",
      "linkAccount",
    ]) {
      const app = createApp(
        (name, args) => {
          if (name === method) throw make(args);
        },
        { logger: {} },
      );
      // oxlint-disable-next-line no-await-in-loop -- they share the console
      await visit(app);
      expectNoCanary(lines, app.secrets, [...app.browser.cookies.values()]);
    }
  });
});
