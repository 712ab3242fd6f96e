import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { standardPreset } from "../../presets/index.ts";
import type { Browser } from "../../src/testing/testing.ts";
import type { Adapter, AdapterSession, AdapterUser, VerificationToken } from "../../src/types.ts";
import { createTestAuth, ORIGIN, type TestAuth, type TestAuthOptions, toPath } from "../_app.ts";

export const ADA = "ada@example.com";

/** In-memory adapter with the contract of Auth.js. */
export interface TestAdapter extends Adapter {
  readonly users: Map<string, AdapterUser>;
  readonly tokens: Map<string, VerificationToken>;
  readonly sessions: Map<string, AdapterSession>;
  /** Names of the called methods, in order. */
  readonly calls: string[];
}

export function createTestAdapter(): TestAdapter {
  const users = new Map<string, AdapterUser>();
  const tokens = new Map<string, VerificationToken>();
  const sessions = new Map<string, AdapterSession>();
  const calls: string[] = [];
  const getKey = (token: { identifier: string; token: string }) =>
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
      tokens.set(getKey(token), token);
      return token;
    },
    async useVerificationToken(token) {
      await pause();
      const found = tokens.get(getKey(token)) ?? null;
      tokens.delete(getKey(token));
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

/** An application whose users sign in by e-mail. */
export interface MailApp extends TestAuth {
  readonly adapter: TestAdapter;
}

export interface MailAppOptions extends Omit<TestAuthOptions, "adapter"> {
  /** `null` if a plugin provides the adapter. */
  adapter?: TestAdapter | null;
}

/** Creates the application. If providers are given, they replace the provider `mail`. */
export function createMailApp({ adapter, ...options }: MailAppOptions = {}): MailApp {
  return createTestAuth({
    preset: standardPreset,
    errors: "read",
    env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
    session: { strategy: "jwt" },
    ...(adapter !== null && { adapter: adapter ?? createTestAdapter() }),
    ...(!options.providers && { mail: {} }),
    ...options,
  }) as MailApp;
}

/** Submits the only form of a page. */
export async function press(browser: Browser, page: Response): Promise<Response> {
  const html = await page.text();
  const action = /<form[^>]* action="([^"]*)"/.exec(html)?.[1] ?? "";
  const hidden = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = hidden.map(([, name = "", value = ""]) => [name, value.replaceAll("&amp;", "&")]);
  return browser.post(toPath(action), Object.fromEntries(fields) as Record<string, string>);
}

/** An SMTP server on this machine, with the e-mails that it received. */
export interface Smtp {
  url: string;
  port: number;
  readonly mails: ParsedMail[];
  /** Envelope recipients of each e-mail. */
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

/** A request that an HTTP API received. */
export interface Received {
  method: string;
  /** The requested URL, with the vendor's host. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An HTTP API on this machine that stands in for any vendor. */
export interface MailVendor {
  readonly received: Received[];
  /** Status of the next responses. */
  status: number;
  answer: string;
  /** Sends every request to this server. */
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
