import { defineProvider } from "../../src/index.ts";
import type { EmailProvider } from "../../src/index.ts";

/**
 * Sign-in by a link mailed through an SMTP server: `nodemailer` under the id of earlier versions of
 * Auth.js, for links and accounts that carry it.
 */
export const emailPlugin = defineProvider<EmailProvider>(() => ({
  id: "email",
  name: "Email",
  type: "email",
  smtp: () => import("nodemailer"),
}));

export default emailPlugin;
