import type { Kind } from "./_libraries.ts";
import { createMapAdapter, type Rows } from "./_map-adapter.ts";
import { toShown } from "./_shown.ts";

/** A call of the application's code, with a copy of the arguments. */
export type Call = [name: string, ...args: unknown[]];

/** What the application of a scenario adds to the common configuration. */
export interface Application {
  /** `jwt` without users, `stored` for `jwt` with an adapter, or `database`. */
  strategy: "jwt" | "stored" | "database";
  /** Default `http://localhost:3000`. */
  origin?: string;
  /** Fields of the configuration. */
  config?: (library: Kind) => Record<string, unknown>;
  /** Return values of callbacks, by name. */
  answers?: Record<string, (params: never) => unknown>;
  /** Fields of the provider `op`. */
  op?: Record<string, unknown>;
  /** Fields of the provider `mail`. */
  mail?: Record<string, unknown>;
  /** Fields of the provider `passkey`, which exists only if they are set. */
  passkey?: Record<string, unknown>;
  /** Whether the authenticator counts its uses. */
  passkeyCounts?: boolean;
  /** The library whose script runs in the browser. Default: the application's library. */
  script?: "keyhook" | "next-auth";
}

/** An e-mail that the application sent. */
export interface Mail {
  identifier: string;
  url: string;
  token: string;
}

const EVENTS = ["createUser", "updateUser", "linkAccount", "session", "signIn", "signOut"];

const DEFAULTS: Record<string, (params: never) => unknown> = {
  signIn: () => true,
  redirect: ({ url, baseUrl }: { url: string; baseUrl: string }) => {
    if (url.startsWith("/")) return `${baseUrl}${url}`;
    return new URL(url).origin === baseUrl ? url : baseUrl;
  },
  jwt: ({ token }: { token: unknown }) => token,
  session: ({ session }: { session: { user: object; expires: unknown } }) => ({
    user: session.user,
    expires: session.expires,
  }),
};

/** The state of one run's application: its rows, e-mails and recorded calls. */
export interface Book {
  rows: Rows;
  mails: Mail[];
  calls: Call[];
}

/** Seals a token in the application's own format. */
export const sealOwn = (token: object): string =>
  `own.${Buffer.from(JSON.stringify(token)).toString("base64url")}`;

/** Opens such a token. */
export const openOwn = (text: string): unknown =>
  JSON.parse(Buffer.from(text.slice(4), "base64url").toString());

/** Records a call. The arguments are copied, because both libraries change some of them later. */
function record(book: Book, name: string, args: readonly unknown[]): void {
  book.calls.push([name, ...args.map((one) => toShown(one))]);
}

/** Builds the same configuration for both libraries. Its code records calls. */
export function buildConfig(
  { strategy, config, answers = {}, op = {}, mail, passkey }: Application,
  library: Kind,
  book: Book,
): Record<string, unknown> {
  const callbacks = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, fallback]) => [
      name,
      async (params: never) => {
        record(book, name, [params]);
        return (answers[name] ?? fallback)(params);
      },
    ]),
  );
  const events = Object.fromEntries(
    EVENTS.map((name) => [name, (message: unknown) => record(book, `${name}!`, [message])]),
  );
  const adapter = Object.fromEntries(
    Object.entries(createMapAdapter(book.rows)).map(([name, method]) => [
      name,
      async (...args: never[]) => {
        record(book, `.${name}`, args);
        return (method as (...args: never[]) => unknown)(...args);
      },
    ]),
  );
  const client = { clientId: "client", clientSecret: "the client secret of a test" };
  return {
    secret: "keyhook-test-secret-0123456789abcdef",
    trustHost: true,
    basePath: "/auth",
    callbacks,
    events,
    logger: {
      error: (error: Error & { type?: string }) => record(book, "log", [error.type ?? error.name]),
      warn: () => {},
      debug: () => {},
    },
    ...(strategy !== "jwt" && { adapter }),
    session: { strategy: strategy === "database" ? "database" : "jwt" },
    providers: [
      library.github(client),
      { id: "op", name: "OP", type: "oidc", issuer: "https://op.example", ...client, ...op },
      {
        id: "trusted",
        name: "Trusted",
        type: "oidc",
        issuer: "https://op.example",
        ...client,
        allowDangerousEmailAccountLinking: true,
      },
      library.credentials({
        credentials: { username: {}, password: { type: "password" } },
        authorize: async (fields: Record<string, unknown>, request: Request) => {
          record(book, "authorize", [fields, request]);
          if (fields.username === "throw") throw new library.CredentialsSignin();
          if (fields.username === "bug") throw new Error("a bug");
          if (fields.password !== "lovelace") return null;
          return { id: "ada-1", name: "Ada", email: "ada@example.com" };
        },
      }),
      // With links by e-mail, passkeys are only for signed-in users.
      ...(strategy === "jwt" || (passkey && !mail)
        ? []
        : [
            {
              id: "mail",
              name: "Mail",
              type: "email",
              from: "no-reply@app.example",
              maxAge: 86_400,
              sendVerificationRequest: async (sent: Mail) => {
                record(book, "sendVerificationRequest", [sent]);
                book.mails.push(sent);
              },
              ...mail,
            },
          ]),
      ...(passkey ? [library.passkey(passkey)] : []),
    ],
    ...(passkey && { experimental: { enableWebAuthn: true } }),
    ...config?.(library),
  };
}
