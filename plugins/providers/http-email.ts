import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider, MailApi } from "../flows/email.ts";

/** Options of `httpEmailPlugin`: the API, and the options of every e-mail provider. */
export interface HttpEmailOptions extends Partial<Omit<MailApi, "required">> {}

/**
 * Adds sign-in by a link mailed through an HTTP API. Requires its `url`, or
 * `sendVerificationRequest`. Reads `AUTH_HTTP_EMAIL_KEY`, which is sent as a bearer token unless
 * `auth` or `headers` is set.
 */
export const httpEmailPlugin: ProviderFactory<EmailProvider, HttpEmailOptions> = defineProvider(
  emailFlow,
  ({ url, auth, headers, body, as, templated, apiKey }) => ({
    id: "http-email",
    name: "HTTP email",
    type: "email",
    ...(url !== undefined && {
      api: {
        url,
        ...(auth !== undefined ? { auth } : apiKey && !headers && { auth: "Bearer {apiKey}" }),
        ...(headers && { headers }),
        ...(as && { as }),
        ...(templated && { templated }),
        body:
          body ??
          (({ from, to, subject, html, text }) => ({ from: from?.text, to, subject, html, text })),
      },
    }),
  }),
);

export default httpEmailPlugin;
