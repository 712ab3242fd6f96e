import { randomBytes } from "node:crypto";
import storeAdapter from "../plugins/adapters/store/store.ts";
import arabicPlugin from "../plugins/languages/ar.ts";
import germanPlugin from "../plugins/languages/de.ts";
import spanishPlugin from "../plugins/languages/es.ts";
import frenchPlugin from "../plugins/languages/fr.ts";
import japanesePlugin from "../plugins/languages/ja.ts";
import chinesePlugin from "../plugins/languages/zh.ts";
import { passkeyPlugin } from "../plugins/providers/passkey.ts";
import createAuth from "../presets/h3.ts";
import type { AuthConfig, Plugin, Session } from "../presets/index.ts";
import { auditLog } from "./audit-log.ts";
import type { Journal } from "./journal.ts";
import { lookOf, lookWith, themeOf } from "./look.ts";
import { type Outbox, outboxProvider } from "./outbox.ts";
import { pageNotes } from "./page-notes.ts";
import { PASSWORD, people } from "./people.ts";
import { type PlaygroundClient, playgroundId } from "./playground-id.ts";

/** What this application's session has beside the usual. */
export interface PlaygroundSession extends Session {
  nickname?: string;
}

/** What the configuration depends on. */
export interface AuthOptions {
  /** Where people find the application. */
  origin: string;
  client: PlaygroundClient;
  journal: Journal;
  outbox: Outbox;
  /** Where people are kept. Default: the folder `.data/keyhook`, as always in development. */
  store?: Plugin;
}

/** A nickname as it may be kept: what comes with an update is anybody's text. */
export function nicknameOf(data: unknown): string | undefined {
  const given = (data as { nickname?: unknown } | null)?.nickname;
  const nickname = typeof given === "string" ? given.trim() : "";
  return /^[\p{L}\p{N}][\p{L}\p{N} .'-]{0,23}$/u.test(nickname) ? nickname : undefined;
}

function baseConfig({ origin, journal, outbox, store }: AuthOptions): AuthConfig {
  const nicknames = new Map<string, string>();
  return {
    // Stands in for the process's environment: nothing has to be set to play.
    env: { AUTH_URL: origin, AUTH_SECRET: randomBytes(32).toString("base64url") },
    // People, sessions, passkeys and one-time links are stored; the adapter sees to it.
    plugins: [storeAdapter(), ...(store ? [store] : [])],
    // Short enough to watch: an hour, extended after a minute.
    session: { strategy: "database", maxAge: 60 * 60, updateAge: 60 },
    experimental: { enableWebAuthn: true },
    providers: [
      {
        id: "credentials",
        name: "password",
        type: "credentials",
        credentials: {
          username: { label: "User name", required: true },
          password: { label: "Password", type: "password", required: true },
        },
        authorize({ username, password }) {
          // A real application compares with a slow hash of the password (scrypt, argon2).
          const person = people.find((one) => one.username === username);
          if (!person || password !== PASSWORD) return null;
          // No address: a password proves none, and the other ways in know people by theirs.
          return { id: person.id, name: person.name };
        },
      },
      outboxProvider(outbox),
    ],
    callbacks: {
      signIn({ account }) {
        const id = account?.providerAccountId ?? "";
        return !people.some((one) => one.banned && [one.id, one.email].includes(id));
      },
      session({ session, user, newSession }) {
        const id = user?.id ?? "";
        const wanted = nicknameOf(newSession);
        if (wanted !== undefined) {
          nicknames.set(id, wanted);
          journal.note(session.user, `took the nickname ${wanted}`);
        }
        const nickname = nicknames.get(id);
        // What a browser may see: `user` is all that is stored of somebody.
        const { name, email, image } = session.user ?? {};
        const shown = { user: { name, email, image }, expires: session.expires };
        return { ...shown, ...(nickname !== undefined && { nickname }) };
      },
    },
    events: {
      session({ session }) {
        journal.note(session.user, "read the session");
      },
    },
    logger: {
      warn(code, detail) {
        // Said where the playground starts, and in the configuration above.
        if (code !== "store-default" && code !== "experimental-webauthn")
          console.warn(`  ${code}: ${detail}`);
      },
      // A sign-in that fails is what people do here; it stands in the list of events.
      error: (error) => console.error(`  ${error.name}: ${error.message}`),
    },
  };
}

/** The whole configuration of the playground's sign-in. */
export function createPlaygroundAuth(options: AuthOptions) {
  const { client, journal } = options;
  const base = baseConfig(options);
  // A theme is part of the configuration, which may depend on the request: one for each look.
  const configs = new Map<string, AuthConfig>();
  const configFor = (look: ReturnType<typeof lookOf>): AuthConfig => {
    const theme = themeOf(look);
    const key = JSON.stringify(theme);
    const config = configs.get(key) ?? { ...base, theme };
    configs.set(key, config);
    return config;
  };
  const make = (source: Parameters<typeof createAuth>[0]) =>
    createAuth(source)
      .use(playgroundId(client))
      .use(
        passkeyPlugin({
          formFields: {
            email: {
              label: "Address for a passkey",
              type: "email",
              required: true,
              autocomplete: "username webauthn",
            },
          },
        }),
      )
      .use(germanPlugin())
      .use(frenchPlugin())
      .use(spanishPlugin())
      .use(japanesePlugin())
      .use(chinesePlugin())
      .use(arabicPlugin())
      .use(auditLog(journal.write))
      .use(pageNotes);
  const auth = make((request) => configFor(request ? lookOf(request) : lookWith(new FormData())));
  // Who is plugged in is the same for every look.
  return { auth, inspect: () => make(base).inspect() };
}
