import { describe, expect, it } from "vitest";
import type { EmailProvider } from "../../plugins/flows/email/provider.ts";
import mailgunPlugin from "../../plugins/providers/mailgun.ts";
import nodemailerPlugin from "../../plugins/providers/nodemailer.ts";
import resendPlugin from "../../plugins/providers/resend.ts";
import { type AuthConfig, standardPreset } from "../../presets/index.ts";
import { ORIGIN, createTestAuth } from "../_app.ts";
import { createTestAdapter } from "./_mail.ts";

const good: EmailProvider = {
  id: "mail",
  name: "Mail",
  type: "email",
  sendVerificationRequest() {},
};

/** Returns the name and message of the boot error, or `fine`. */
function boot(config: AuthConfig): string {
  const { auth } = createTestAuth({
    preset: standardPreset,
    env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
    adapter: createTestAdapter(),
    session: { strategy: "jwt" },
    errors: "allowed",
    providers: [],
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

describe("boot faults of e-mail providers", () => {
  it("inspect() accepts a minimal e-mail provider", () => {
    expect(boot({ providers: [good] })).toBe("fine");
    expect(boot({ providers: [] })).toBe("fine");
  });

  it("inspect() throws MissingAdapter for an e-mail provider without an adapter", () => {
    const message = boot({ providers: [good], adapter: undefined } as never);
    expect(message).toMatch(/^MissingAdapter: "mail" needs an adapter for users and tokens/);
  });

  it("inspect() names the adapter methods that an e-mail provider lacks", () => {
    const { useVerificationToken: _, updateUser: __, ...rest } = createTestAdapter();
    expect(boot({ providers: [good], adapter: rest })).toMatch(
      /^MissingAdapterMethods: .*`useVerificationToken`, `updateUser`.*"mail"/,
    );
  });

  it("inspect() rejects an e-mail provider that cannot send mails", () => {
    const bare = { sendVerificationRequest: undefined };
    expect(withProvider(bare)).toMatch(/cannot send e-mails; set `sendVerificationRequest`/);
    expect(boot({ providers: [nodemailerPlugin()] })).toMatch(
      /has no `server`(.|\n)*has no `from`/,
    );
    const server = "smtp://127.0.0.1";
    expect(boot({ providers: [nodemailerPlugin({ server, from: "a@b.example" })] })).toBe("fine");
  });

  it("inspect() rejects an invalid `from`", () => {
    const server = "smtp://127.0.0.1";
    for (const from of ["Acme", "a@b.example\r\nBcc: c@d.example", "A <a@b>, B <b@c>", "<a@b> x"]) {
      expect(boot({ providers: [nodemailerPlugin({ server, from })] })).toMatch(/has a `from`/);
    }
  });

  it("inspect() requires an API key from the options or the environment", () => {
    const from = "Acme <no-reply@acme.example>";
    expect(boot({ providers: [resendPlugin({ from })] })).toMatch(
      /has no `apiKey`; set it, or AUTH_RESEND_KEY/,
    );
    expect(
      boot({
        providers: [resendPlugin({ from })],
        env: { AUTH_URL: ORIGIN, AUTH_RESEND_KYE: "k" },
      }),
    ).toMatch(/or AUTH_RESEND_KEY \(AUTH_RESEND_KYE is set: check its spelling\)/);
    expect(boot({ providers: [resendPlugin({ from, apiKey: "k" })] })).toBe("fine");
    const env = { AUTH_URL: ORIGIN, AUTH_RESEND_KEY: "k" };
    expect(boot({ providers: [resendPlugin({ from })], env })).toBe("fine");
    expect(boot({ providers: [mailgunPlugin({ from, apiKey: "k" })] })).toBe("fine");
  });

  it("inspect() rejects an `api.url` that is not https", () => {
    for (const url of ["http://mail.example/send", "ftp://mail.example", "mail", "https://{x}/"]) {
      const api = { url, body: () => ({}) };
      const message = withProvider({
        sendVerificationRequest: undefined,
        api,
        from: "a@b.example",
      });
      expect(message).toMatch(/`api.url` that is not https/);
    }
  });

  it("inspect() rejects a guessable secret of the provider in production, and warns of it elsewhere", () => {
    const providers = [{ ...good, secret: ["0123456789abcdef0123456789abcdef", "guess"] }];
    const env = { NODE_ENV: "production", AUTH_URL: "https://app.example" };
    expect(boot({ env, providers })).toMatch(/A `secret` of the provider "mail" has 5 characters/);
    expect(boot({ providers })).toBe("fine");
  });

  it("inspect() rejects invalid maxAge, confirm, secret, messages and attempts", () => {
    expect(withProvider({ maxAge: 0 })).toMatch(/`maxAge`/);
    expect(withProvider({ maxAge: "1h" })).toMatch(/`maxAge`/);
    expect(withProvider({ confirm: "sometimes" })).toMatch(/has the unknown `confirm` "sometimes"/);
    expect(withProvider({ secret: "" })).toMatch(/empty `secret`/);
    expect(withProvider({ secret: [] })).toMatch(/empty `secret`/);
    expect(withProvider({ messages: { "de_DE!": {} } })).toMatch(
      /"de_DE!", which is not a language tag; correct it/,
    );
    expect(withProvider({ messages: { "de-CH": { subject: "Hoi" } } })).toBe("fine");
    expect(withProvider({ attempts: { max: 1 } })).toMatch(/`attempts` without `max` and `window`/);
    expect(withProvider({ attempts: false })).toBe("fine");
  });

  it("inspect() reports all faults of an e-mail provider together", () => {
    const message = boot({
      providers: [{ ...good, maxAge: -1, confirm: "no" } as never],
      adapter: {},
    });
    expect(message).toMatch(/^BootError: 3 faults/);
  });

  it("inspect() throws UntrustedHost in production when any request could choose the host of links", () => {
    const providers = [good];
    const production = { NODE_ENV: "production" };
    expect(boot({ providers, env: production, trustHost: true })).toMatch(
      /^UntrustedHost: "mail" sends links by e-mail, but any request could choose their host. Set AUTH_URL/,
    );
    expect(boot({ providers, env: {}, trustHost: true })).toMatch(/^UntrustedHost/);
    expect(boot({ providers, env: production, trustHost: ["app.example"] })).toBe("fine");
    expect(boot({ providers, env: { ...production, AUTH_URL: ORIGIN } })).toBe("fine");
    expect(boot({ providers, env: { ...production, VERCEL: "1" } })).toBe("fine");
    expect(boot({ providers, env: { NODE_ENV: "test" } })).toBe("fine");
    expect(boot({ providers: [], env: production, trustHost: true })).toBe("fine");
  });
});
