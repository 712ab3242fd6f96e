import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider } from "../flows/email.ts";

/** Options of `mailgunPlugin`, in addition to those of every e-mail provider. */
export interface MailgunOptions {
  /** The region of the domain. Default `US`. */
  region?: "US" | "EU";
  /** The sending domain. Default: the domain of `from`. */
  domain?: string;
}

/** Adds sign-in by a link mailed through Mailgun. Requires `from`. Reads `AUTH_MAILGUN_KEY`. */
export const mailgunPlugin: ProviderFactory<EmailProvider, MailgunOptions> = defineProvider(
  emailFlow,
  ({ region, domain = "{domain}" }) => ({
    id: "mailgun",
    name: "Mailgun",
    type: "email",
    api: {
      url: `https://${region === "EU" ? "api.eu" : "api"}.mailgun.net/v3/${domain}/messages`,
      auth: "Basic api:{apiKey}",
      as: "form",
      body: ({ from, to, subject, html, text }) => ({
        from: from?.text,
        to,
        subject,
        html,
        text,
        // A tracked link goes through another site, which would learn the token.
        "o:tracking-clicks": "no",
      }),
    },
  }),
);

export default mailgunPlugin;
