import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createTransport } from "nodemailer";
import type { SMTPServerOptions } from "smtp-server";
import { afterEach, describe, expect, it, vi } from "vitest";
import nodemailerPlugin from "../../plugins/providers/nodemailer.ts";
import type { Browser } from "../../src/testing.ts";
import { locationOf, pathOf, press, type Smtp, startSmtp } from "../flows/_mail.ts";
import {
  ADA,
  ask,
  createWorld,
  expectNoSecrets,
  isIn,
  MINUTE,
  type Node,
  people,
  twinOf,
  visit,
  type World,
} from "./_world.ts";

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

/** A server that takes connections and does nothing else with them but `greet`. */
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

/** A node that mails through a server. */
function through(world: World, server: string | object): Node {
  const plugin = nodemailerPlugin({
    from: "no-reply@acme.example",
    server,
    // One mail and no more: a failed one must not count.
    limits: { address: { max: 1, window: 900 } },
  });
  return world.node({ providers: [plugin] });
}

async function send(browser: Browser, email = ADA): Promise<string> {
  return locationOf(await browser.signIn("nodemailer", { email }));
}

const linkIn = (smtp: Smtp) => pathOf(/^http:\S+$/m.exec(smtp.mails.at(-1)?.text ?? "")?.[0] ?? "");

/** An answer of the server's, as an error of the library. */
function answer(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

/** Somebody who was there before. */
async function known(world: World): Promise<void> {
  const { link } = await ask(world, visit(world.node()));
  const owner = visit(world.node());
  expect(locationOf(await press(owner, await owner.get(link)))).toBe("/");
  expect(people(world.storage)).toHaveLength(1);
}

const faults: Record<string, (state: { isOver: boolean }) => SMTPServerOptions> = {
  "refuses the recipient (550)": (state) => ({
    onRcptTo: ({ address }, _, done) =>
      done(state.isOver ? undefined : answer(550, `No such user <${address}> here`)),
  }),
  "puts the recipient off (451, greylisting)": (state) => ({
    onRcptTo: (_, __, done) =>
      done(state.isOver ? undefined : answer(451, "Greylisted, try again in 300 seconds")),
  }),
  "refuses the sender (553)": (state) => ({
    onMailFrom: (_, __, done) => done(state.isOver ? undefined : answer(553, "Not your domain")),
  }),
  "turns away the connection (421)": (state) => ({
    onConnect: (_, done) => done(state.isOver ? undefined : answer(421, "Too busy")),
  }),
};

describe("F15: mail cannot be sent", () => {
  it.each(Object.entries(faults))(
    "F15: a server that %s: told, no token left, at once again",
    async (_, options) => {
      const state = { isOver: false };
      const smtp = await smtpThat(options(state));
      const world = createWorld();
      await known(world);
      const node = through(world, smtp.url);
      const browser = visit(node);
      for (const email of [ADA, EVE, ADA]) {
        // The same for who is known and who is not.
        expect(await send(browser, email)).toBe(FAILED);
        expect(world.storage.shelf("adapter-token")).toEqual([]);
      }
      const page = await (await browser.get(FAILED)).text();
      expect(page).toContain("The email could not be sent.");
      expect(node.errors.map(({ name }) => name)).toEqual(Array(3).fill("EmailSignInError"));
      expectNoSecrets(node, [ADA, EVE, "token="]);
      state.isOver = true;
      expect(await send(browser)).toBe(SENT);
      expect(locationOf(await browser.get(linkIn(smtp)))).toBe("/");
      expect(people(world.storage)).toHaveLength(1);
    },
  );

  it("F15: a server that refuses the mail when it has it: told, and the link in it is dead", async () => {
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
          carried = pathOf(link?.[0] ?? "");
          done(isOver ? undefined : answer(552, "Too large"));
        });
      },
    });
    const world = createWorld();
    const browser = visit(through(world, smtp.url));
    expect(await send(browser)).toBe(FAILED);
    expect(carried).toContain("token=");
    const page = await browser.get(carried);
    expect(locationOf(await press(browser, page))).toBe("/auth/error?error=Verification");
    isOver = true;
    expect(await send(browser)).toBe(SENT);
    expect(locationOf(await browser.get(carried))).toBe("/");
  });

  it("F15: a transport that got rid of a part only counts as failed", async () => {
    for (const result of [
      { accepted: [], rejected: [ADA] },
      { accepted: [], rejected: [], pending: [ADA] },
    ]) {
      const world = createWorld();
      const transport = { sendMail: async () => result };
      const node = through(world, transport);
      expect(await send(visit(node))).toBe(FAILED);
      expect(world.storage.shelf("adapter-token")).toEqual([]);
      expectNoSecrets(node, [ADA]);
    }
  });

  it("F15: nobody listens, or the line breaks: told, no token left, at once again", async () => {
    const world = createWorld();
    const broken = await portThat(
      (socket) => void socket.write("220 hello\r\n", () => socket.destroy()),
    );
    for (const url of ["smtp://127.0.0.1:9", broken.url]) {
      const node = through(world, url);
      const browser = visit(node);
      expect(await send(browser)).toBe(FAILED);
      expect(await send(browser)).toBe(FAILED);
      expect(world.storage.shelf("adapter-token")).toEqual([]);
      expect(node.errors).toHaveLength(2);
    }
    const smtp = await smtpThat({});
    expect(await send(visit(through(world, smtp.url)))).toBe(SENT);
  });

  it("F15: a slow server is waited for", async () => {
    const smtp = await smtpThat({
      onRcptTo: (_, __, done) => void setTimeout(done, 150),
    });
    const world = createWorld();
    const browser = visit(through(world, smtp.url));
    expect(await send(browser)).toBe(SENT);
    expect(locationOf(await browser.get(linkIn(smtp)))).toBe("/");
  });

  it.each(["silent", "greeting for ever"])(
    "F15: a server that is %s is given up after ten seconds, and its line is closed",
    async (kind) => {
      const { url, sockets } = await portThat((socket) => {
        if (kind !== "silent") socket.write("220-wait\r\n");
      });
      const world = createWorld();
      const node = through(world, url);
      const browser = visit(node);
      await browser.csrfToken();
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
      const asked = send(browser);
      while (!sockets.length) await new Promise((resolve) => setImmediate(resolve));
      const closed = once(sockets[0] as Socket, "close");
      await vi.advanceTimersByTimeAsync(11_000);
      vi.useRealTimers();
      expect(await asked).toBe(FAILED);
      expect(world.storage.shelf("adapter-token")).toEqual([]);
      expect(node.errors).toHaveLength(1);
      await closed;
      expect(await isIn(browser)).toBe(false);
    },
  );

  it("F15: a mail that leaves after it was given up carries a link that is dead", async () => {
    const world = createWorld();
    const late: string[] = [];
    const transport = {
      sendMail: (mail: { text: string }) =>
        new Promise((resolve) => {
          setTimeout(() => {
            late.push(pathOf(/^http:\S+$/m.exec(mail.text)?.[0] ?? ""));
            resolve({});
          }, 12_000);
        }),
    };
    const node = through(world, transport);
    const browser = visit(node);
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

  it("F15: the real sending goes through nodemailer's own transport, too", async () => {
    const smtp = await smtpThat({});
    const world = createWorld();
    const browser = visit(through(world, createTransport(smtp.url)));
    expect(await send(browser)).toBe(SENT);
    expect(smtp.recipients).toEqual([[ADA]]);
  });
});

describe("F16: a mail is sent twice", () => {
  it("F16: the same mail twice: its link works once, and then the page says so", async () => {
    const world = createWorld();
    const node = world.node(
      {},
      {
        sendVerificationRequest({ url }) {
          world.outbox.push(pathOf(url), pathOf(url));
        },
      },
    );
    const browser = visit(node);
    await ask(world, browser);
    const [first = "", second = ""] = world.outbox;
    expect(locationOf(await browser.get(first))).toBe("/");
    const led = locationOf(await twinOf(browser, node).get(second));
    const other = visit(node);
    expect(led).not.toBe("/");
    const pressed = await press(other, await other.get(second));
    expect(locationOf(pressed)).toBe("/auth/error?error=Verification");
    const page = await (await other.get(locationOf(pressed))).text();
    expect(page).toContain("no longer valid");
    expect(page).toContain("Ask for a new link");
    expect(await isIn(browser)).toBe(true);
  });

  it("F16: two mails that were asked for: each link works, each once, for the same person", async () => {
    const world = createWorld();
    const node = world.node();
    const browser = visit(node);
    const first = await ask(world, browser);
    const second = await ask(world, browser);
    expect(first.link).not.toBe(second.link);
    expect(locationOf(await browser.get(first.link))).toBe("/");
    const other = visit(node);
    expect(locationOf(await press(other, await other.get(second.link)))).toBe("/");
    for (const { link } of [first, second]) {
      const thief = visit(node);
      const pressed = await press(thief, await thief.get(link));
      expect(locationOf(pressed)).toBe("/auth/error?error=Verification");
    }
    expect(people(world.storage)).toHaveLength(1);
    expect([await isIn(browser), await isIn(other)]).toEqual([true, true]);
  });

  it("F16: a first link is dead when its time is over, the second is not", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const world = createWorld();
    const node = world.node({}, { maxAge: 600 });
    const browser = visit(node);
    const first = await ask(world, browser);
    vi.setSystemTime(Date.now() + 9 * MINUTE);
    const second = await ask(world, browser);
    vi.setSystemTime(Date.now() + 2 * MINUTE);
    expect(locationOf(await browser.get(first.link))).toBe("/auth/error?error=Verification");
    expect(locationOf(await browser.get(second.link))).toBe("/");
  });
});
