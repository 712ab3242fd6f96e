import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider } from "../flows/email.ts";

/** Adds sign-in by a link mailed through SendGrid. Requires `from`. Reads `AUTH_SENDGRID_KEY`. */
export const sendgridPlugin: ProviderFactory<EmailProvider> = defineProvider(emailFlow, () => ({
  id: "sendgrid",
  name: "SendGrid",
  type: "email",
  api: {
    url: "https://api.sendgrid.com/v3/mail/send",
    auth: "Bearer {apiKey}",
    body: ({ from, to, subject, html, text }) => ({
      personalizations: [{ to: [{ email: to }] }],
      // SendGrid rejects a name together with the address in `email`.
      from: { email: from?.address, name: from?.name },
      subject,
      content: [
        { type: "text/plain", value: text },
        { type: "text/html", value: html },
      ],
      // A tracked link goes through another site, which would learn the token.
      tracking_settings: { click_tracking: { enable: false, enable_text: false } },
    }),
  },
}));

export default sendgridPlugin;
