import { defineProvider } from "../../src/index.ts";
import type { EmailProvider } from "../../src/index.ts";

/** Sign-in by a link mailed through SendGrid. Needs `from`; reads `AUTH_SENDGRID_KEY`. */
export const sendgridPlugin = defineProvider<EmailProvider>(() => ({
  id: "sendgrid",
  name: "SendGrid",
  type: "email",
  api: {
    url: "https://api.sendgrid.com/v3/mail/send",
    auth: "Bearer {apiKey}",
    body: ({ from, to, subject, html, text }) => ({
      personalizations: [{ to: [{ email: to }] }],
      // Refused when both stand in `email`.
      from: { email: from?.address, name: from?.name },
      subject,
      content: [
        { type: "text/plain", value: text },
        { type: "text/html", value: html },
      ],
      // A tracked link is another site's, which would learn the token.
      tracking_settings: { click_tracking: { enable: false, enable_text: false } },
    }),
  },
}));

export default sendgridPlugin;
