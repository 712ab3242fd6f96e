import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createTransport } from "nodemailer";
import type { SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import nodemailerPlugin from "../../plugins/providers/nodemailer.ts";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { type Browser, createClock } from "../../src/testing/testing.ts";
import { locationOf, toPath, isSignedIn, type TestAuth } from "../_app.ts";
import { press, type Smtp, startSmtp } from "../flows/_mail.ts";
import {
  ADA,
  requestLink,
  createCluster,
  expectNoSecrets,
  listUsers,
  cloneBrowser,
  openBrowser,
  type Cluster,
} from "./_cluster.ts";

const SENT = "/auth/verify-request?provider=nodemailer&type=email";
const FAILED = "/auth/signin?error=EmailSignInError";
const EVE = "eve@example.com";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0)) await close();
});

async function smtpThat(options: SMTPServerOptions): Promise<Smtp> {
  const smtp = await startSmtp(options);
  closing.push(() => smtp.close());
  return smtp;
}

/** Starts a TCP server that only runs `greet` on each connection. */
async function portThat(greet: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    greet(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, sockets };
}

/** Starts a node that sends its e-mail through a server. */
function through(cluster: Cluster, server: string | object): TestAuth {
  const plugin = nodemailerPlugin({
    from: "no-reply@acme.example",
    server,
  });
  // Only one e-mail: a failed one must not count.
  const limits = rateLimit({ rules: { "email-account": { max: 1 } } });
  return cluster.node({ errors: "allowed", providers: [plugin], use: [limits] });
}

async function send(browser: Browser, email = ADA): Promise<string> {
  return locationOf(await browser.signIn("nodemailer", { email }));
}

const getLastLink = (smtp: Smtp) =>
  toPath(/^http:\S+$/m.exec(smtp.mails.at(-1)?.text ?? "")?.[0] ?? "");

/** Builds an SMTP error response of the server. */
function answer(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** Creates a user who has signed in before. */
async function known(cluster: Cluster): Promise<void> {
  const { link } = await requestLink(cluster, openBrowser(cluster.node()));
  const owner = openBrowser(cluster.node());
  expect(locationOf(await press(owner, await owner.get(link)))).toBe("/");
  expect(listUsers(cluster.storage)).toHaveLength(1);
}

const faults: Record<string, (state: { isOver: boolean }) => SMTPServerOptions> = {
  "refuses the recipient (550)": (state) => ({
    onRcptTo: ({ address }, _, done) =>
      done(state.isOver ? undefined : answer(550, `No such user <${address}> here`)),
  }),
  "defers the recipient (451, greylisting)": (state) => ({
    onRcptTo: (_, __, done) =>
      done(state.isOver ? undefined : answer(451, "Greylisted, try again in 300 seconds")),
  }),
  "refuses the sender (553)": (state) => ({
    onMailFrom: (_, __, done) => done(state.isOver ? undefined : answer(553, "Not your domain")),
  }),
  "refuses the connection (421)": (state) => ({
    onConnect: (_, done) => done(state.isOver ? undefined : answer(421, "Too busy")),
  }),
};

describe("F15: an e-mail cannot be sent", () => {
  it.each(Object.entries(faults))(
    "F15: a server that %s: the request fails, leaves no token and can be repeated at once",
    async (_, options) => {
      const state = { isOver: false };
      const smtp = await smtpThat(options(state));
      const cluster = createCluster();
      await known(cluster);
      const node = through(cluster, smtp.url);
      const browser = openBrowser(node);
      for (const email of [ADA, EVE, ADA]) {
        // The same for a known and an unknown address.
        expect(await send(browser, email)).toBe(FAILED);
        expect(cluster.storage.store("adapter-token")).toEqual([]);
      }
      const page = await (await browser.get(FAILED)).text();
      expect(page).toContain("We couldn’t send the email.");
      expect(node.log.errors.map(({ name }) => name)).toEqual(Array(3).fill("EmailSignInError"));
      expectNoSecrets(node, [ADA, EVE, "token="]);
      state.isOver = true;
      expect(await send(browser)).toBe(SENT);
      expect(locationOf(await browser.get(getLastLink(smtp)))).toBe("/");
      expect(listUsers(cluster.storage)).toHaveLength(1);
    },
  );

  it("F15: a server that refuses the e-mail after its data: the request fails and the link is invalid", async () => {
    let isOver = false;
    let carried = "";
    const smtp = await smtpThat({
      onData(stream, _, done) {
        let text = "";
        stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
        stream.on("end", () => {
          const link = text
            .replace(/=\r\n/g, "")
            .replaceAll("=3D", "=")
            .match(/^http:\S+$/m);
          carried = toPath(link?.[0] ?? "");
          done(isOver ? undefined : answer(552, "Too large"));
        });
      },
    });
    const cluster = createCluster();
    const browser = openBrowser(through(cluster, smtp.url));
    expect(await send(browser)).toBe(FAILED);
    expect(carried).toContain("token=");
    const page = await browser.get(carried);
    expect(locationOf(await press(browser, page))).toBe("/auth/error?error=Verification");
    isOver = true;
    expect(await send(browser)).toBe(SENT);
    expect(locationOf(await browser.get(carried))).toBe("/");
  });

  it("F15: a transport that reports rejected or pending recipients counts as failed", async () => {
    for (const result of [
      { accepted: [], rejected: [ADA] },
      { accepted: [], rejected: [], pending: [ADA] },
    ]) {
      const cluster = createCluster();
      const transport = { sendMail: async () => result };
      const node = through(cluster, transport);
      expect(await send(openBrowser(node))).toBe(FAILED);
      expect(cluster.storage.store("adapter-token")).toEqual([]);
      expectNoSecrets(node, [ADA]);
    }
  });

  it("F15: a refused or broken connection: the request fails, leaves no token and can be repeated at once", async () => {
    const cluster = createCluster();
    const broken = await portThat(
      (socket) => void socket.write("220 hello\r\n", () => socket.destroy()),
    );
    for (const url of ["smtp://127.0.0.1:9", broken.url]) {
      const node = through(cluster, url);
      const browser = openBrowser(node);
      expect(await send(browser)).toBe(FAILED);
      expect(await send(browser)).toBe(FAILED);
      expect(cluster.storage.store("adapter-token")).toEqual([]);
      expect(node.log.errors).toHaveLength(2);
    }
    const smtp = await smtpThat({});
    expect(await send(openBrowser(through(cluster, smtp.url)))).toBe(SENT);
  });

  it("F15: the request waits for a slow server", async () => {
    const smtp = await smtpThat({
      onRcptTo: (_, __, done) => void setTimeout(done, 150),
    });
    const cluster = createCluster();
    const browser = openBrowser(through(cluster, smtp.url));
    expect(await send(browser)).toBe(SENT);
    expect(locationOf(await browser.get(getLastLink(smtp)))).toBe("/");
  });

  it.each(["silent", "greeting endlessly"])(
    "F15: a server that is %s: the request times out after ten seconds and closes the connection",
    async (kind) => {
      const { url, sockets } = await portThat((socket) => {
        if (kind !== "silent") socket.write("220-wait\r\n");
      });
      const cluster = createCluster();
      const node = through(cluster, url);
      const browser = openBrowser(node);
      await browser.csrfToken();
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
      const asked = send(browser);
      while (!sockets.length) await new Promise((resolve) => setImmediate(resolve));
      const closed = once(sockets[0] as Socket, "close");
      await vi.advanceTimersByTimeAsync(11_000);
      vi.useRealTimers();
      expect(await asked).toBe(FAILED);
      expect(cluster.storage.store("adapter-token")).toEqual([]);
      expect(node.log.errors).toHaveLength(1);
      await closed;
      expect(await isSignedIn(browser)).toBe(false);
    },
  );

  it("F15: an e-mail that is delivered after the timeout contains an invalid link", async () => {
    const cluster = createCluster();
    const late: string[] = [];
    const transport = {
      sendMail: (mail: { text: string }) =>
        new Promise((resolve) => {
          setTimeout(() => {
            late.push(toPath(/^http:\S+$/m.exec(mail.text)?.[0] ?? ""));
            resolve({});
          }, 12_000);
        }),
    };
    const node = through(cluster, transport);
    const browser = openBrowser(node);
    await browser.csrfToken();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = send(browser);
    while (vi.getTimerCount() < 2) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await asked).toBe(FAILED);
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();
    expect(late).toHaveLength(1);
    const page = await browser.get(late[0] ?? "");
    expect(locationOf(await press(browser, page))).toBe("/auth/error?error=Verification");
  });

  it("F15: sends through a nodemailer transport of the application", async () => {
    const smtp = await smtpThat({});
    const cluster = createCluster();
    const browser = openBrowser(through(cluster, createTransport(smtp.url)));
    expect(await send(browser)).toBe(SENT);
    expect(smtp.recipients).toEqual([[ADA]]);
  });
});

describe("F16: an e-mail is sent twice", () => {
  it("F16: the link of an e-mail that arrives twice works once, then the error page offers a new one", async () => {
    const cluster = createCluster();
    const node = cluster.node({
      errors: "allowed",
      mail: {
        sendVerificationRequest({ url }) {
          cluster.links.push(toPath(url), toPath(url));
        },
      },
    });
    const browser = openBrowser(node);
    await requestLink(cluster, browser);
    const [first = "", second = ""] = cluster.links;
    expect(locationOf(await browser.get(first))).toBe("/");
    const led = locationOf(await cloneBrowser(browser, node).get(second));
    const other = openBrowser(node);
    expect(led).not.toBe("/");
    const pressed = await press(other, await other.get(second));
    expect(locationOf(pressed)).toBe("/auth/error?error=Verification");
    const page = await (await other.get(locationOf(pressed))).text();
    expect(page).toContain("This link no longer works");
    expect(page).toContain("Request a new link");
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("F16: the links of two requested e-mails each work once, for the same user", async () => {
    const cluster = createCluster();
    const node = cluster.node({ errors: "allowed" });
    const browser = openBrowser(node);
    const first = await requestLink(cluster, browser);
    const second = await requestLink(cluster, browser);
    expect(first.link).not.toBe(second.link);
    expect(locationOf(await browser.get(first.link))).toBe("/");
    const other = openBrowser(node);
    expect(locationOf(await press(other, await other.get(second.link)))).toBe("/");
    for (const { link } of [first, second]) {
      const thief = openBrowser(node);
      const pressed = await press(thief, await thief.get(link));
      expect(locationOf(pressed)).toBe("/auth/error?error=Verification");
    }
    expect(listUsers(cluster.storage)).toHaveLength(1);
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, true]);
  });

  it("F16: the first of two links expires before the second", async () => {
    using clock = createClock();
    const cluster = createCluster();
    const node = cluster.node({ errors: "allowed", mail: { maxAge: 600 } });
    const browser = openBrowser(node);
    const first = await requestLink(cluster, browser);
    clock.advance("9 minutes");
    const second = await requestLink(cluster, browser);
    clock.advance("2 minutes");
    expect(locationOf(await browser.get(first.link))).toBe("/auth/error?error=Verification");
    expect(locationOf(await browser.get(second.link))).toBe("/");
  });
});
