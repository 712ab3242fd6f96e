import { defineProvider } from "../../src/index.ts";
import type { EmailProvider } from "../../src/index.ts";

/** What Mailgun can be told beside the fields every e-mail provider has. */
export interface MailgunOptions {
  /** Where the domain lies. Default `US`. */
  region?: "US" | "EU";
  /** The sending domain. Default: that of `from`. */
  domain?: string;
}

/** Sign-in by a link mailed through Mailgun. Needs `from`; reads `AUTH_MAILGUN_KEY`. */
export const mailgunPlugin = defineProvider<EmailProvider, MailgunOptions>(
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
        // A tracked link is another site's, which would learn the token.
        "o:tracking-clicks": "no",
      }),
    },
  }),
);

export default mailgunPlugin;
