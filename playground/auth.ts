import { randomBytes } from "node:crypto";
import storeAdapter from "../plugins/adapters/store/store.ts";
import { passkeyPlugin } from "../plugins/providers/passkey.ts";
import createAuth from "../presets/h3.ts";
import { definePlugin, type Plugin, type Session } from "../presets/index.ts";
import { auditLog } from "./audit-log.ts";
import type { Journal } from "./journal.ts";
import { type Outbox, outboxProvider } from "./outbox.ts";
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

/** Says on the built-in pages whom to be and where the mail is. A plugin that taps hooks of pages. */
const whoToBe = definePlugin({
  name: "who-to-be",
  setup({ hooks }) {
    hooks.page.for("signin").tap("who-to-be", (page) => ({
      ...page,
      blocks: [
        ...page.blocks,
        { kind: "text", text: `Try ${people[0]?.username} with the password ${PASSWORD}.` },
      ],
    }));
    hooks.page.for("verify-request").tap("who-to-be", (page) => ({
      ...page,
      blocks: [
        ...page.blocks,
        { kind: "link", text: "Open the outbox", href: "/outbox", button: true },
      ],
    }));
  },
});

/** The whole configuration of the playground's sign-in. */
export function createPlaygroundAuth({ origin, client, journal, outbox, store }: AuthOptions) {
  return createAuth({
    // Stands in for the process's environment: nothing has to be set to play.
    env: { AUTH_URL: origin, AUTH_SECRET: randomBytes(32).toString("base64url") },
    // People and one-time links are stored, the adapter sees to it. Sessions could be too ("database");
    // here they stay in their cookie. Short enough to watch: an hour, extended after a minute.
    plugins: [storeAdapter(), ...(store ? [store] : [])],
    session: { strategy: "jwt", maxAge: 60 * 60, updateAge: 60 },
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
          return { id: person.id, name: person.name, email: person.email };
        },
      },
      outboxProvider(outbox),
    ],
    callbacks: {
      signIn({ user }) {
        return !people.some(({ email, banned }) => banned && email === user.email);
      },
      jwt({ token, trigger, session }) {
        if (trigger !== "update") return token;
        const nickname = nicknameOf(session);
        if (nickname === undefined) return token;
        journal.note(token, `took the nickname ${nickname}`);
        return { ...token, nickname };
      },
      session({ session, token }) {
        return { ...session, ...(token?.nickname !== undefined && { nickname: token.nickname }) };
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
  })
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
    .use(auditLog(journal.write))
    .use(whoToBe);
}

/** The handle of the application. */
export type PlaygroundAuth = ReturnType<typeof createPlaygroundAuth>;
