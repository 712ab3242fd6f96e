import { defineProvider } from "../../src/index.ts";
import type { EmailProvider } from "../../src/index.ts";

/** Sign-in by a link mailed through Forward Email. Needs `from`; reads `AUTH_FORWARDEMAIL_KEY`. */
export const forwardemailPlugin = defineProvider<EmailProvider>(() => ({
  id: "forwardemail",
  name: "Forward Email",
  type: "email",
  api: {
    url: "https://api.forwardemail.net/v1/emails",
    // The key is the user, without a password.
    auth: "Basic {apiKey}:",
    body: ({ from, to, subject, html, text }) => ({ from: from?.text, to, subject, html, text }),
  },
}));

export default forwardemailPlugin;
