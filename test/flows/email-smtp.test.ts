import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { createTransport } from "nodemailer";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import emailPlugin from "../../plugins/providers/email.ts";
import nodemailerPlugin from "../../plugins/providers/nodemailer.ts";
import { locationOf, ORIGIN } from "../_app.ts";
import { ADA, createMailApp, type MailApp, type Smtp, startSmtp } from "./_mail.ts";

const from = '"Acme, Inc." <no-reply@acme.example>';

let smtp: Smtp;
beforeAll(async () => {
  smtp = await startSmtp({
    onRcptTo({ address }, _, done) {
      const refused = address.startsWith("nobody@");
      done(refused ? new Error(`No such user <${address}> here`) : undefined);
    },
  });
});
afterAll(() => smtp.close());
afterEach(() => {
  smtp.mails.length = 0;
  smtp.recipients.length = 0;
});

function appWith(options: object, plugin = nodemailerPlugin): MailApp {
  return createMailApp({ errors: "allowed", providers: [plugin({ from, ...options })] });
}

async function send(app: MailApp, email = ADA, id = "nodemailer"): Promise<string> {
  return locationOf(await app.browser.signIn(id, { email }));
}

const SENT = "/auth/verify-request?provider=nodemailer&type=email";
const FAILED = "/auth/signin?error=EmailSignInError";

describe("sending e-mail by SMTP", () => {
  it("the e-mail arrives as text and HTML, and its link signs in", async () => {
    const app = appWith({ server: smtp.url });
    expect(await send(app)).toBe(SENT);
    const [mail] = smtp.mails;
    expect(smtp.recipients).toEqual([[ADA]]);
    expect(mail?.from?.value).toEqual([{ name: "Acme, Inc.", address: "no-reply@acme.example" }]);
    expect(mail?.to).toMatchObject({ value: [{ name: "", address: ADA }] });
    expect(mail?.subject).toBe("Sign in to localhost:3000");
    expect(mail?.headers.get("auto-submitted")).toBe("auto-generated");
    expect(mail?.attachments).toEqual([]);
    const link = /^http:\S+$/m.exec(mail?.text ?? "")?.[0] ?? "";
    const inHtml = /<a href="([^"]*)"/.exec(String(mail?.html))?.[1]?.replaceAll("&amp;", "&");
    expect(inHtml).toBe(link);
    expect(locationOf(await app.browser.get(link.slice(ORIGIN.length)))).toBe("/");
    expect(app.log.errors).toEqual([]);
  });

  it("emailPlugin sends under the provider id `email`", async () => {
    const app = appWith({ server: smtp.url }, emailPlugin);
    expect(await send(app, ADA, "email")).toContain("provider=email");
    expect(smtp.mails[0]?.text).toContain(`${ORIGIN}/auth/callback/email?`);
  });

  it("`server` may be an options object or a transport", async () => {
    await send(appWith({ server: { host: "127.0.0.1", port: smtp.port } }));
    await send(appWith({ server: createTransport(smtp.url) }));
    expect(smtp.recipients).toEqual([[ADA], [ADA]]);
  });

  it("the e-mail is in the language of the Accept-Language header", async () => {
    const messages = { de: { subject: "Bei {host} anmelden – schön" } };
    const app = appWith({ server: smtp.url, messages });
    const csrfToken = await app.browser.csrfToken();
    const headers = { "accept-language": "de-AT,de;q=0.9,en;q=0.5" };
    await app.browser.post("/auth/signin/nodemailer", { csrfToken, email: ADA }, { headers });
    expect(smtp.mails[0]?.subject).toBe("Bei localhost:3000 anmelden – schön");
    expect(smtp.mails[0]?.text).toContain("24 Stunden");
  });

  it("the e-mail has one recipient and no injected headers for any input", async () => {
    const app = appWith({ server: smtp.url });
    const attempts = [
      "ada@example.com,eve@evil.example",
      "ada@example.com, evil.example",
      "ada@example.com\r\nBcc: eve@evil.example",
      "ada@example.com%0d%0aBcc:eve@evil.example",
      "eve@evil.example, ada@example.com",
      '"eve@evil.example,"@example.com',
      "ada@example.com>\r\nRCPT TO:<eve@evil.example",
      "eve@evil.example;ada@example.com",
      "Group: eve@evil.example, ada@example.com;",
      "=?utf-8?q?eve=40evil.example?=@example.com",
    ];
    for (const email of attempts) await send(app, email);
    const all = smtp.recipients.flat().filter((address) => address.endsWith("evil.example"));
    expect(all).toEqual([]);
    expect(smtp.recipients.every(({ length }) => length === 1)).toBe(true);
    for (const { headers } of smtp.mails)
      expect([headers.has("bcc"), headers.has("cc")]).toEqual([false, false]);
  });

  it("an e-mail is sent to the result of normalizeIdentifier only if it is one address", async () => {
    const app = appWith({ server: smtp.url, normalizeIdentifier: (text: string) => text });
    for (const email of ["ada@example.com,eve@evil.example", "ada", "ada%evil.example@b.example"]) {
      expect(await send(app, email)).toBe(`${FAILED}&code=invalid_address`);
      expect(app.log.errors).toEqual([]);
    }
    expect(await send(app)).toBe(SENT);
    expect(smtp.recipients).toEqual([[ADA]]);
  });

  it("sends to an address with a non-ASCII domain", async () => {
    const app = appWith({ server: smtp.url });
    expect(await send(app, "ada@bücher.example")).toBe(SENT);
    expect(smtp.recipients).toEqual([["ada@bücher.example"]]);
  });

  it("redirects with EmailSignInError when the server refuses the recipient, and logs no address", async () => {
    const app = appWith({ server: smtp.url });
    expect(await send(app, "nobody@example.com")).toBe(FAILED);
    expect(app.adapter.tokens.size).toBe(0);
    expect(app.log.errors).toHaveLength(1);
    const { message, cause, stack } = app.log.errors[0] as Error & { cause: { err: Error } };
    expect(message).toMatch(/^"nodemailer": the e-mail could not be sent: .*No such user/);
    expect(cause.err.name).toMatch(/EENVELOPE/);
    expect(`${message}${cause.err.message}${cause.err.stack}${stack}`).not.toContain("nobody@");
  });

  it("redirects with EmailSignInError when the transport reports pending recipients", async () => {
    const server = { sendMail: async () => ({ accepted: [], rejected: [], pending: [ADA] }) };
    const app = appWith({ server });
    expect(await send(app)).toBe(FAILED);
  });

  it("redirects with EmailSignInError when the connection is refused", async () => {
    const app = appWith({ server: "smtp://127.0.0.1:9" });
    expect(await send(app)).toBe(FAILED);
    expect(app.log.errors[0]?.message).toMatch(/ECONNREFUSED/);
    expect(app.adapter.tokens.size).toBe(0);
  });

  it("times out after ten seconds and closes the connection when the server does not respond", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on("error", () => {})));
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const app = appWith({ server: `smtp://127.0.0.1:${port}` });
      app.adapter.useVerificationToken = async (key) => {
        app.adapter.tokens.clear();
        return { ...key, expires: new Date() };
      };
      const asked = send(app);
      await vi.waitFor(() => expect(sockets).toHaveLength(1));
      const closed = once(sockets[0]!, "close");
      await vi.advanceTimersByTimeAsync(11_000);
      expect(await asked).toBe(FAILED);
      expect(app.adapter.tokens.size).toBe(0);
      await closed;
    } finally {
      vi.useRealTimers();
      silent.close();
    }
  });

  it("the error names the package when nodemailer is not installed", async () => {
    const smtpWithout = () => Promise.reject(new Error("Cannot find package 'nodemailer'"));
    const app = appWith({ server: smtp.url, smtp: smtpWithout });
    expect(await send(app)).toBe(FAILED);
    expect(app.log.errors[0]?.message).toContain('needs the package "nodemailer". Install it.');
  });
});
