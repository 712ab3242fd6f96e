import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider } from "../flows/email.ts";

/**
 * Adds sign-in by a link mailed through an SMTP server: `nodemailerPlugin` under the id `email` of earlier versions of
 * Auth.js, for links and accounts with this id.
 */
export const emailPlugin: ProviderFactory<EmailProvider> = defineProvider(emailFlow, () => ({
  id: "email",
  name: "Email",
  type: "email",
  smtp: () => import("nodemailer"),
}));

export default emailPlugin;
