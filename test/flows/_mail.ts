import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { type AuthConfig, createAuth } from "../../presets/index.ts";
import { type Browser, createBrowser } from "../../src/testing.ts";
import type {
  Adapter,
  AdapterSession,
  AdapterUser,
  Auth,
  EmailProvider,
  VerificationRequest,
  VerificationToken,
} from "../../src/types.ts";

export const ORIGIN = "http://localhost:3000";
export const SECRET = "keyhook-test-secret-0123456789abcdef";
export const ADA = "ada@example.com";

/** People, sessions and tokens of one process, as Auth.js's contract has them. */
export interface TestAdapter extends Adapter {
  readonly users: Map<string, AdapterUser>;
  readonly tokens: Map<string, VerificationToken>;
  readonly sessions: Map<string, AdapterSession>;
  /** Names of the methods called, in order. */
  readonly calls: string[];
}

export function createTestAdapter(): TestAdapter {
  const users = new Map<string, AdapterUser>();
  const tokens = new Map<string, VerificationToken>();
  const sessions = new Map<string, AdapterSession>();
  const calls: string[] = [];
  const keyOf = (token: { identifier: string; token: string }) =>
    JSON.stringify([token.identifier, token.token]);
  const pause = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
  const methods: Adapter = {
    async getUserByEmail(email) {
      return [...users.values()].find((user) => user.email === email) ?? null;
    },
    async getUser(id) {
      return users.get(id) ?? null;
    },
    async createUser(user) {
      users.set(user.id, user);
      return user;
    },
    async updateUser(changes) {
      const user = { ...(users.get(changes.id) as AdapterUser), ...changes };
      users.set(user.id, user);
      return user;
    },
    async createVerificationToken(token) {
      tokens.set(keyOf(token), token);
      return token;
    },
    async useVerificationToken(token) {
      await pause();
      const found = tokens.get(keyOf(token)) ?? null;
      tokens.delete(keyOf(token));
      return found;
    },
    async createSession(session) {
      sessions.set(session.sessionToken, session);
      return session;
    },
    async getSessionAndUser(sessionToken) {
      const session = sessions.get(sessionToken);
      const user = session && users.get(session.userId);
      return session && user ? { session, user } : null;
    },
    async updateSession(changes) {
      const session = { ...(sessions.get(changes.sessionToken) as AdapterSession), ...changes };
      sessions.set(session.sessionToken, session);
      return session;
    },
    async deleteSession(sessionToken) {
      sessions.delete(sessionToken);
    },
  };
  const counted = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: unknown[]) => {
      calls.push(name);
      return (method as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return { ...(Object.fromEntries(counted) as Adapter), users, tokens, sessions, calls };
}

/** An application that mails links into memory. */
export interface MailApp {
  auth: Auth;
  adapter: TestAdapter;
  outbox: VerificationRequest[];
  errors: Error[];
  warnings: string[];
  /** The one that asks. */
  browser: Browser;
  /** Another one, with nothing in its jar. */
  stranger(): Browser;
  /** Asks for a link, and answers where it leads as path and query. */
  ask(address?: string, browser?: Browser): Promise<string>;
}

export interface MailAppOptions extends Omit<AuthConfig, "adapter"> {
  provider?: Partial<EmailProvider>;
  /** `null`: a plugin brings one. */
  adapter?: TestAdapter | null;
}

export function createMailApp(options: MailAppOptions = {}): MailApp {
  const { provider, adapter: given, ...config } = options;
  const adapter = given ?? createTestAdapter();
  const outbox: VerificationRequest[] = [];
  const errors: Error[] = [];
  const warnings: string[] = [];
  const auth = createAuth({
    secret: SECRET,
    env: { AUTH_URL: ORIGIN },
    session: { strategy: "jwt" },
    logger: {
      error: (error) => errors.push(error),
      warn: (code) => warnings.push(code),
      debug() {},
    },
    ...(given !== null && { adapter }),
    providers: [
      {
        id: "mail",
        name: "Mail",
        type: "email",
        sendVerificationRequest: (request) => void outbox.push(request),
        ...provider,
      } as EmailProvider,
    ],
    ...config,
  });
  const stranger = () => createBrowser((request) => auth.fetch(request), { origin: ORIGIN });
  const browser = stranger();
  return {
    auth,
    adapter,
    outbox,
    errors,
    warnings,
    browser,
    stranger,
    async ask(address = ADA, from = browser) {
      await from.signIn("mail", { email: address });
      return pathOf(outbox.at(-1)?.url ?? "");
    },
  };
}

/** Path and query of a link. */
export function pathOf(url: string): string {
  return url.slice(ORIGIN.length);
}

export function locationOf(response: Response): string {
  return pathOf(response.headers.get("location") ?? ORIGIN);
}

/** Presses the button of a page that has one form. */
export async function press(browser: Browser, page: Response): Promise<Response> {
  const html = await page.text();
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? "";
  const hidden = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = hidden.map(([, name = "", value = ""]) => [name, value.replaceAll("&amp;", "&")]);
  return browser.post(pathOf(action), Object.fromEntries(fields) as Record<string, string>);
}

/** An SMTP server on this machine, and what arrived there. */
export interface Smtp {
  url: string;
  port: number;
  readonly mails: ParsedMail[];
  /** Envelopes: who it was for. */
  readonly recipients: string[][];
  close(): Promise<void>;
}

export async function startSmtp(options: SMTPServerOptions = {}): Promise<Smtp> {
  const mails: ParsedMail[] = [];
  const recipients: string[][] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      simpleParser(stream).then((mail) => {
        mails.push(mail);
        recipients.push(session.envelope.rcptTo.map(({ address }) => address));
        done();
      }, done);
    },
    ...options,
  });
  server.on("error", () => {});
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    recipients,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A request that an HTTP API was sent. */
export interface Received {
  method: string;
  /** As it was meant: with the host of the vendor. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An HTTP API on this machine that stands in for any vendor. */
export interface MailVendor {
  readonly received: Received[];
  /** What it answers with. */
  status: number;
  answer: string;
  /** Leads every request here. */
  fetch: typeof fetch;
  close(): Promise<void>;
}

export async function startMailVendor(): Promise<MailVendor> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      vendor.received.push({
        method: request.method ?? "",
        url: String(request.headers["x-meant-for"]),
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      });
      response.writeHead(vendor.status, { "content-type": "application/json" });
      response.end(vendor.answer);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const vendor: MailVendor = {
    received: [],
    status: 202,
    answer: "{}",
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set("x-meant-for", input instanceof Request ? input.url : input.toString());
      return fetch(`http://127.0.0.1:${port}/`, { ...init, headers });
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return vendor;
}
