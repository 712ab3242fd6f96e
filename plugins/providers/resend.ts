import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider } from "../flows/email.ts";

/** Adds sign-in by a link mailed through Resend. Requires `from`. Reads `AUTH_RESEND_KEY`. */
export const resendPlugin: ProviderFactory<EmailProvider> = defineProvider(emailFlow, () => ({
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
