import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider } from "../flows/email.ts";

/** Options of `loopsPlugin`, in addition to those of every e-mail provider. */
export interface LoopsOptions {
  /** The id of the template at Loops, which has the data variable `url`. Required. */
  transactionalId?: string;
}

/**
 * Adds sign-in by a link mailed through Loops, which uses its own templates. Requires `transactionalId`. Reads
 * `AUTH_LOOPS_KEY`.
 */
export const loopsPlugin: ProviderFactory<EmailProvider, LoopsOptions> = defineProvider(
  emailFlow,
  ({ transactionalId }) => ({
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
  }),
);

export default loopsPlugin;
