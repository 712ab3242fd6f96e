import { defineProvider } from "../../src/index.ts";
import type { EmailProvider } from "../../src/index.ts";

/** Sign-in by a link mailed through Resend. Needs `from`; reads `AUTH_RESEND_KEY`. */
export const resendPlugin = defineProvider<EmailProvider>(() => ({
  id: "resend",
  name: "Resend",
  type: "email",
  api: {
    url: "https://api.resend.com/emails",
    auth: "Bearer {apiKey}",
    body: ({ from, to, subject, html, text }) => ({ from: from?.text, to, subject, html, text }),
  },
}));

export default resendPlugin;
