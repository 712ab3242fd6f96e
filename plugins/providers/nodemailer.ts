import { defineProvider } from "../../src/index.ts";
import type { EmailProvider } from "../../src/index.ts";

/**
 * Sign-in by a link mailed through an SMTP server, with the package `nodemailer`. Needs `server` (an
 * SMTP URL or the options of a transport) and `from`.
 */
export const nodemailerPlugin = defineProvider<EmailProvider>(() => ({
  id: "nodemailer",
  name: "Nodemailer",
  type: "email",
  smtp: () => import("nodemailer"),
}));

export default nodemailerPlugin;
