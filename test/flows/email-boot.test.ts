import { describe, expect, it } from "vitest";
import { type AuthConfig, createAuth } from "../../presets/index.ts";
import type { EmailProvider } from "../../src/types.ts";
import mailgunPlugin from "../../plugins/providers/mailgun.ts";
import nodemailerPlugin from "../../plugins/providers/nodemailer.ts";
import resendPlugin from "../../plugins/providers/resend.ts";
import { createTestAdapter, ORIGIN, SECRET } from "./_mail.ts";

const good: EmailProvider = {
  id: "mail",
  name: "Mail",
  type: "email",
  sendVerificationRequest() {},
};

/** What the boot says, `fine` when it says nothing. */
function boot(config: AuthConfig): string {
  const auth = createAuth({
    secret: SECRET,
    env: { AUTH_URL: ORIGIN },
    adapter: createTestAdapter(),
    session: { strategy: "jwt" },
    logger: { error() {}, warn() {}, debug() {} },
    ...config,
  });
  try {
    auth.inspect();
    return "fine";
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  }
}

const withProvider = (changes: object) =>
  boot({ providers: [{ ...good, ...changes } as EmailProvider] });

describe("at boot, an e-mail provider", () => {
  it("is fine as it is", () => {
    expect(boot({ providers: [good] })).toBe("fine");
    expect(boot({ providers: [] })).toBe("fine");
  });

  it("needs an adapter", () => {
    const message = boot({ providers: [good], adapter: undefined } as never);
    expect(message).toMatch(/^MissingAdapter: "mail" needs a place for people and tokens/);
  });

  it("needs the adapter's methods, and names those that are missing", () => {
    const { useVerificationToken: _, updateUser: __, ...rest } = createTestAdapter();
    expect(boot({ providers: [good], adapter: rest })).toMatch(
      /^MissingAdapterMethods: .*`useVerificationToken`, `updateUser`.*"mail"/,
    );
  });

  it("needs a way to send", () => {
    const bare = { sendVerificationRequest: undefined };
    expect(withProvider(bare)).toMatch(/cannot send mails; give it `sendVerificationRequest`/);
    expect(boot({ providers: [nodemailerPlugin()] })).toMatch(
      /has no `server`(.|\n)*has no `from`/,
    );
    const server = "smtp://127.0.0.1";
    expect(boot({ providers: [nodemailerPlugin({ server, from: "a@b.example" })] })).toBe("fine");
  });

  it("needs a sender that is one", () => {
    const server = "smtp://127.0.0.1";
    for (const from of ["Acme", "a@b.example\r\nBcc: c@d.example", "A <a@b>, B <b@c>", "<a@b> x"]) {
      expect(boot({ providers: [nodemailerPlugin({ server, from })] })).toMatch(/has a `from`/);
    }
  });

  it("needs a key, from the options or the environment", () => {
    const from = "Acme <no-reply@acme.example>";
    expect(boot({ providers: [resendPlugin({ from })] })).toMatch(
      /has no `apiKey`; set it or AUTH_RESEND_KEY/,
    );
    expect(boot({ providers: [resendPlugin({ from, apiKey: "k" })] })).toBe("fine");
    const env = { AUTH_URL: ORIGIN, AUTH_RESEND_KEY: "k" };
    expect(boot({ providers: [resendPlugin({ from })], env })).toBe("fine");
    expect(boot({ providers: [mailgunPlugin({ from, apiKey: "k" })] })).toBe("fine");
  });

  it("asks over https only", () => {
    for (const url of ["http://mail.example/send", "ftp://mail.example", "mail", "https://{x}/"]) {
      const api = { url, body: () => ({}) };
      const message = withProvider({
        sendVerificationRequest: undefined,
        api,
        from: "a@b.example",
      });
      expect(message).toMatch(/`api.url` that is no https URL/);
    }
  });

  it("has options that mean something", () => {
    expect(withProvider({ maxAge: 0 })).toMatch(/`maxAge`/);
    expect(withProvider({ maxAge: "1h" })).toMatch(/`maxAge`/);
    expect(withProvider({ confirm: "sometimes" })).toMatch(/knows no `confirm` "sometimes"/);
    expect(withProvider({ secret: "" })).toMatch(/empty `secret`/);
    expect(withProvider({ secret: [] })).toMatch(/empty `secret`/);
    expect(withProvider({ messages: { "de_DE!": {} } })).toMatch(/no language tag/);
    expect(withProvider({ messages: { "de-CH": { subject: "Hoi" } } })).toBe("fine");
    expect(withProvider({ limits: { address: { max: 1 } } })).toMatch(/`limits.address`/);
    expect(withProvider({ limits: { address: false, network: undefined } })).toBe("fine");
  });

  it("reports all faults together", () => {
    const message = boot({
      providers: [{ ...good, maxAge: -1, confirm: "no" } as never],
      adapter: {},
    });
    expect(message).toMatch(/^BootError: 3 faults/);
  });

  it("sends no link to wherever a request says, in production", () => {
    const providers = [good];
    const production = { NODE_ENV: "production" };
    expect(boot({ providers, env: production, trustHost: true })).toMatch(
      /^UntrustedHost: "mail" mails links, and any request could say where to. Set AUTH_URL/,
    );
    expect(boot({ providers, env: {}, trustHost: true })).toMatch(/^UntrustedHost/);
    expect(boot({ providers, env: production, trustHost: ["app.example"] })).toBe("fine");
    expect(boot({ providers, env: { ...production, AUTH_URL: ORIGIN } })).toBe("fine");
    expect(boot({ providers, env: { ...production, VERCEL: "1" } })).toBe("fine");
    expect(boot({ providers, env: { NODE_ENV: "test" } })).toBe("fine");
    expect(boot({ providers: [], env: production, trustHost: true })).toBe("fine");
  });
});
