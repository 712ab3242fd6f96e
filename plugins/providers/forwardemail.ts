import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider } from "../flows/email.ts";

/** Adds sign-in by a link mailed through Forward Email. Requires `from`. Reads `AUTH_FORWARDEMAIL_KEY`. */
export const forwardemailPlugin: ProviderFactory<EmailProvider> = defineProvider(emailFlow, () => ({
  id: "forwardemail",
  name: "Forward Email",
  type: "email",
  api: {
    url: "https://api.forwardemail.net/v1/emails",
    // The key is the user name; the password is empty.
    auth: "Basic {apiKey}:",
    body: ({ from, to, subject, html, text }) => ({ from: from?.text, to, subject, html, text }),
  },
}));

export default forwardemailPlugin;
