import { randomBytes } from "node:crypto";
import { storeAdapter } from "../plugins/adapters/store.ts";
import { arabicPlugin } from "../plugins/languages/ar.ts";
import { germanPlugin } from "../plugins/languages/de.ts";
import { spanishPlugin } from "../plugins/languages/es.ts";
import { frenchPlugin } from "../plugins/languages/fr.ts";
import { italianPlugin } from "../plugins/languages/it.ts";
import { japanesePlugin } from "../plugins/languages/ja.ts";
import { koreanPlugin } from "../plugins/languages/ko.ts";
import { polishPlugin } from "../plugins/languages/pl.ts";
import { brazilianPortuguesePlugin } from "../plugins/languages/pt-br.ts";
import { traditionalChinesePlugin } from "../plugins/languages/zh-hant.ts";
import { chinesePlugin } from "../plugins/languages/zh.ts";
import { accessTokens } from "../plugins/oauth/access-tokens.ts";
import { backchannelLogout } from "../plugins/oauth/backchannel-logout.ts";
import { providerLogout } from "../plugins/oauth/provider-logout.ts";
import { inspector } from "../plugins/observability/inspector.ts";
import { passkeyPlugin } from "../plugins/providers/passkey.ts";
import { bearer } from "../plugins/security/bearer.ts";
import { type NativeApp, nativeApps } from "../plugins/security/native-apps.ts";
import { secondFactor } from "../plugins/security/second-factor.ts";
import createAuth from "../presets/h3.ts";
import {
  type AuthConfig,
  definePlugin,
  type Kernel,
  type Plugin,
  type Session,
} from "../presets/index.ts";
import { AccessDenied } from "../src/errors.ts";
import { activityLog } from "./activity-log.ts";
import type { Journal } from "./journal.ts";
import { parseLook, toLook, toTheme } from "./look.ts";
import { type Outbox, outboxProvider } from "./outbox.ts";
import { pageNotes } from "./page-notes.ts";
import { PASSWORD, people } from "./people.ts";
import { type PlaygroundClient, playgroundId } from "./playground-id.ts";
import { tokenLog } from "./token-log.ts";

/** The application's own fields of the session. */
export interface PlaygroundSession extends Session {
  nickname?: string;
}

/** Options of the playground's configuration. */
export interface AuthOptions {
  /** Origin of the application. */
  origin: string;
  client: PlaygroundClient;
  journal: Journal;
  outbox: Outbox;
  /** Secret of the cookies and of sealed values in the store. Default: a new one. */
  secret?: string | undefined;
  /** Where users are stored. Default: the folder `.data/keyhook`, as in development. */
  store?: Plugin;
}

/** The command line programs. */
const COMMAND_LINE: NativeApp = {
  name: "Playground command line",
  redirectUris: ["http://127.0.0.1/callback"],
  device: true,
};

/** Returns a nickname that may be stored, or `undefined`. The data of an update is untrusted text. */
export function parseNickname(data: unknown): string | undefined {
  const given = (data as { nickname?: unknown } | null)?.nickname;
  const nickname = typeof given === "string" ? given.trim() : "";
  return /^[\p{L}\p{N}][\p{L}\p{N} .'-]{0,23}$/u.test(nickname) ? nickname : undefined;
}

function baseConfig({ origin, journal, outbox, secret, store }: AuthOptions): AuthConfig {
  const nicknames = new Map<string, string>();
  return {
    // Replaces the environment of the process, so that no variable is required.
    env: { AUTH_URL: origin, AUTH_SECRET: secret ?? randomBytes(32).toString("base64url") },
    // The adapter stores users, sessions, passkeys and one-time links.
    plugins: [storeAdapter(), ...(store ? [store] : [])],
    // Short enough to watch: one hour, extended after a minute.
    session: { strategy: "database", maxAge: 60 * 60, updateAge: 60 },
    experimental: { enableWebAuthn: true },
    providers: [
      {
        id: "credentials",
        name: "Credentials",
        type: "credentials",
        credentials: {
          // The labels of these fields and of the button are in the visitor's language.
          username: { required: true },
          password: { type: "password", required: true },
        },
        authorize({ username, password }) {
          // A real application compares a slow hash of the password (scrypt, argon2).
          const person = people.find((one) => one.username === username);
          if (!person || password !== PASSWORD) return null;
          // No address: a password verifies none, and the other methods identify users by address.
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
        const wanted = parseNickname(newSession);
        if (wanted !== undefined) {
          nicknames.set(id, wanted);
          journal.note(session.user, `took the nickname ${wanted}`);
        }
        const nickname = nicknames.get(id);
        // The fields that the browser may see, because `user` is the whole stored user.
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
        // `main.ts` already prints the first one, and the configuration above enables the experiment.
        if (code !== "store-default" && code !== "experimental-webauthn")
          console.warn(`  ${code}: ${detail}`);
      },
      // Failed sign-ins are expected here. The list of events shows them.
      error: (error) => console.error(`  ${error.name}: ${error.message}`),
    },
  };
}

/**
 * Creates the playground's two Auths, which share users and sessions. `auth` signs in on pages with cookies; `api`
 * signs in clients without a browser with bearer tokens.
 */
export function createPlaygroundAuths(options: AuthOptions) {
  const { client, journal } = options;
  const base = baseConfig(options);
  // The theme is part of the configuration, and a configuration can depend on the request. Each look has its own.
  const configs = new Map<string, AuthConfig>();
  const configFor = (look: ReturnType<typeof parseLook>): AuthConfig => {
    const theme = toTheme(look);
    const key = JSON.stringify(theme);
    const config = configs.get(key) ?? { ...base, theme };
    configs.set(key, config);
    return config;
  };
  let pages: Kernel | undefined;
  const factorOwner = definePlugin({
    name: "factor-owner",
    setup: (kernel) => void (pages = kernel),
  });
  // A client without pages cannot enter a code. A user with a second factor must not sign in there with a password
  // alone.
  const refuseFactors = definePlugin({
    name: "refuse-factors",
    setup({ hooks }) {
      hooks.login.tap("refuse-factors", async ({ user }) => {
        const hasFactor = await pages?.use("secondFactor").has(String(user.id));
        if (hasFactor !== false) throw new AccessDenied("The user has a second factor.");
      });
    },
  });
  const auth = createAuth((request) =>
    configFor(request ? parseLook(request) : toLook(new FormData())),
  )
    .use(playgroundId(client))
    // Playground ID's tokens last for a minute.
    .use(accessTokens({ minValidity: 10 }))
    .use(providerLogout())
    .use(backchannelLogout())
    .use(passkeyPlugin())
    .use(secondFactor({ issuer: "Keyhook playground" }))
    // The programs in `playground/programs/` sign in on the pages, and call the API.
    .use(nativeApps({ apps: { cli: COMMAND_LINE } }))
    .use(factorOwner)
    .use(germanPlugin())
    .use(frenchPlugin())
    .use(spanishPlugin())
    .use(brazilianPortuguesePlugin())
    .use(italianPlugin())
    .use(polishPlugin())
    .use(japanesePlugin())
    .use(koreanPlugin())
    .use(chinesePlugin())
    .use(traditionalChinesePlugin())
    .use(arabicPlugin())
    .use(activityLog(journal.write))
    .use(tokenLog(journal.write))
    .use(pageNotes)
    .use(inspector());
  const providers = base.providers?.filter(
    (provider) => "type" in provider && provider.type === "credentials",
  );
  const api = createAuth({ ...base, basePath: "/api/auth", ...(providers && { providers }) })
    .use(bearer())
    .use(refuseFactors);
  return { auth, api };
}
