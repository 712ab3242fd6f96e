import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider } from "../flows/email.ts";

/**
 * Adds sign-in by a link mailed through an SMTP server, with the package `nodemailer`. Requires
 * `server` (an SMTP URL, or the options of a nodemailer transport) and `from`.
 */
export const nodemailerPlugin: ProviderFactory<EmailProvider> = defineProvider(emailFlow, () => ({
  id: "nodemailer",
  name: "Nodemailer",
  type: "email",
  smtp: () => import("nodemailer"),
}));

export default nodemailerPlugin;
