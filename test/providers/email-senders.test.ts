import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import forwardemailPlugin from "../../plugins/providers/forwardemail.ts";
import httpEmailPlugin from "../../plugins/providers/http-email.ts";
import loopsPlugin from "../../plugins/providers/loops.ts";
import mailgunPlugin from "../../plugins/providers/mailgun.ts";
import postmarkPlugin from "../../plugins/providers/postmark.ts";
import resendPlugin from "../../plugins/providers/resend.ts";
import sendgridPlugin from "../../plugins/providers/sendgrid.ts";
import { customFetch, type Plugin } from "../../src/kernel.ts";
import { locationOf, ORIGIN } from "../_app.ts";
import { ADA, createMailApp, type MailVendor, startMailVendor } from "../flows/_mail.ts";

let vendor: MailVendor;
beforeAll(async () => {
  vendor = await startMailVendor();
});
afterAll(() => vendor.close());
afterEach(() => {
  vendor.received.length = 0;
  Object.assign(vendor, { status: 202, answer: "{}" });
});

const apiKey = "key/with+odd=characters";
const from = '"Acme, Inc." <no-reply@acme.example>';
const subject = "Sign in to localhost:3000";
const text = expect.stringContaining(`${ORIGIN}/auth/callback/`);
const html = expect.stringContaining("<!DOCTYPE html>");
const basic = (credentials: string) => `Basic ${Buffer.from(credentials).toString("base64")}`;
const providerOptions = () => ({ apiKey, from, [customFetch]: vendor.fetch });

interface Sender {
  id: string;
  plugin: () => Plugin;
  url: string;
  headers: Record<string, string>;
  body: object;
}

const plain = { from, to: ADA, subject, html, text };

const senders: Sender[] = [
  {
    id: "resend",
    plugin: () => resendPlugin(providerOptions()),
    url: "https://api.resend.com/emails",
    headers: { authorization: `Bearer ${apiKey}` },
    body: plain,
  },
  {
    id: "forwardemail",
    plugin: () => forwardemailPlugin(providerOptions()),
    url: "https://api.forwardemail.net/v1/emails",
    headers: { authorization: basic(`${apiKey}:`) },
    body: plain,
  },
  {
    id: "postmark",
    plugin: () => postmarkPlugin(providerOptions()),
    url: "https://api.postmarkapp.com/email",
    headers: { "x-postmark-server-token": apiKey, accept: "application/json" },
    body: {
      From: from,
      To: ADA,
      Subject: subject,
      TextBody: text,
      HtmlBody: html,
      MessageStream: "outbound",
      TrackLinks: "None",
    },
  },
  {
    id: "sendgrid",
    plugin: () => sendgridPlugin(providerOptions()),
    url: "https://api.sendgrid.com/v3/mail/send",
    headers: { authorization: `Bearer ${apiKey}` },
    body: {
      personalizations: [{ to: [{ email: ADA }] }],
      from: { email: "no-reply@acme.example", name: "Acme, Inc." },
      subject,
      content: [
        { type: "text/plain", value: text },
        { type: "text/html", value: html },
      ],
      tracking_settings: { click_tracking: { enable: false, enable_text: false } },
    },
  },
  {
    id: "loops",
    plugin: () => loopsPlugin({ ...providerOptions(), from: undefined, transactionalId: "cm1" }),
    url: "https://app.loops.so/api/v1/transactional",
    headers: { authorization: `Bearer ${apiKey}` },
    body: { transactionalId: "cm1", email: ADA, dataVariables: { url: text } },
  },
  {
    id: "http-email",
    plugin: () =>
      httpEmailPlugin({ ...providerOptions(), url: "https://mail.acme.example/send?x=1" }),
    url: "https://mail.acme.example/send?x=1",
    headers: { authorization: `Bearer ${apiKey}` },
    body: plain,
  },
];

function createSenderApp(plugin: Plugin) {
  return createMailApp({ errors: "allowed", providers: [plugin] });
}

const SENT = (id: string) => `/auth/verify-request?provider=${id}&type=email`;

describe.each(senders)("mail API of $id", ({ id, plugin, url, headers, body }) => {
  it(`${id}: sends the documented request`, async () => {
    const app = createSenderApp(plugin());
    expect(locationOf(await app.browser.signIn(id, { email: ADA }))).toBe(SENT(id));
    expect(vendor.received).toHaveLength(1);
    const [request] = vendor.received;
    expect(request).toMatchObject({ method: "POST", url });
    expect(request?.headers).toMatchObject({ ...headers, "content-type": "application/json" });
    expect(JSON.parse(request?.body ?? "")).toEqual(body);
    expect(app.log.errors).toEqual([]);
  });

  it(`${id}: reports a refused e-mail without secrets`, async () => {
    const app = createSenderApp(plugin());
    vendor.status = 403;
    const link = `${ORIGIN}/auth/callback/${id}?token=00ff`;
    vendor.answer = JSON.stringify({
      message: `Bad key ${apiKey} for <${ADA}>; domain unverified`,
    });
    const asked = await app.browser.signIn(id, { email: ADA });
    expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
    expect(app.adapter.tokens.size).toBe(0);
    const error = app.log.errors[0] as Error & { cause: { err: Error } };
    expect(error.message).toMatch(/status 403: .*domain unverified/);
    const said = `${error.message}${error.cause.err.stack}`;
    for (const secret of [apiKey, ADA, link]) expect(said).not.toContain(secret);
  });
});

describe("mail API of Mailgun", () => {
  it.each([
    [{}, "https://api.mailgun.net/v3/acme.example/messages"],
    [{ region: "EU" }, "https://api.eu.mailgun.net/v3/acme.example/messages"],
    [{ domain: "mg.acme.example" }, "https://api.mailgun.net/v3/mg.acme.example/messages"],
  ] as const)("mailgun posts a form to the sender's domain: %o", async (options, url) => {
    const app = createSenderApp(mailgunPlugin({ ...providerOptions(), ...options }));
    expect(locationOf(await app.browser.signIn("mailgun", { email: ADA }))).toBe(SENT("mailgun"));
    const [request] = vendor.received;
    expect(request).toMatchObject({ method: "POST", url });
    expect(request?.headers.authorization).toBe(basic(`api:${apiKey}`));
    const type = request?.headers["content-type"] ?? "";
    expect(type).toMatch(/^multipart\/form-data; boundary=/);
    const form = await new Response(request?.body, {
      headers: { "content-type": type },
    }).formData();
    const fields = Object.fromEntries(
      [...form].map(([name, value]) => [name, (value as string).replaceAll("\r\n", "\n")]),
    );
    expect(fields).toEqual({ ...plain, "o:tracking-clicks": "no" });
  });
});

describe("e-mail over an HTTP API", () => {
  it("httpEmailPlugin sends with the configured headers, form encoding and body", async () => {
    const app = createSenderApp(
      httpEmailPlugin({
        ...providerOptions(),
        url: "https://mail.acme.example/v1",
        headers: { "x-key": "{apiKey}" },
        as: "form",
        body: ({ to, url }) => ({ to, url, none: undefined }),
      }),
    );
    await app.browser.signIn("http-email", { email: ADA });
    const [request] = vendor.received;
    expect(request?.headers["x-key"]).toBe(apiKey);
    expect(request?.headers.authorization).toBeUndefined();
    expect(request?.body).toContain('name="url"');
    expect(request?.body).not.toContain("none");
  });

  it("httpEmailPlugin accepts a sendVerificationRequest function", async () => {
    const sent: string[] = [];
    const app = createSenderApp(
      httpEmailPlugin({ sendVerificationRequest: ({ mail }) => void sent.push(mail.subject) }),
    );
    await app.browser.signIn("http-email", { email: ADA });
    expect(sent).toEqual([subject]);
  });

  it.each([301, 302, 307, 404, 422, 429, 500, 503])(
    "redirects with EmailSignInError when the API responds with %i",
    async (status) => {
      const app = createSenderApp(resendPlugin(providerOptions()));
      vendor.status = status;
      const asked = await app.browser.signIn("resend", { email: ADA });
      expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
    },
  );

  it("limits how much of an error response is read", async () => {
    const app = createSenderApp(resendPlugin(providerOptions()));
    Object.assign(vendor, { status: 500, answer: "x".repeat(1_000_000) });
    const asked = await app.browser.signIn("resend", { email: ADA });
    expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
    expect(app.log.errors[0]?.message.length).toBeLessThan(400);
  });

  it("inspect() rejects loopsPlugin without `transactionalId`", () => {
    const app = createSenderApp(loopsPlugin({ apiKey }));
    expect(() => app.auth.inspect()).toThrow(/has no `transactionalId`/);
  });
});
