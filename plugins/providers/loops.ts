import { defineProvider } from "../../src/index.ts";
import type { EmailProvider } from "../../src/index.ts";

/** What Loops must be told beside the fields every e-mail provider has. */
export interface LoopsOptions {
  /** The template at Loops; it has the data variable `url`. */
  transactionalId?: string;
}

/**
 * Sign-in by a link mailed through Loops, where the mail is a template. Needs `transactionalId`; reads
 * `AUTH_LOOPS_KEY`.
 */
export const loopsPlugin = defineProvider<EmailProvider, LoopsOptions>(({ transactionalId }) => ({
  id: "loops",
  name: "Loops",
  type: "email",
  api: {
    url: "https://app.loops.so/api/v1/transactional",
    auth: "Bearer {apiKey}",
    templated: true,
    required: { transactionalId },
    body: ({ to, url }) => ({ transactionalId, email: to, dataVariables: { url } }),
  },
}));

export default loopsPlugin;
