import { defineProvider } from "../../src/index.ts";
import type { EmailProvider, MailApi } from "../../src/index.ts";

/** What is said of the API, beside the fields every e-mail provider has. */
export interface HttpEmailOptions extends Partial<Omit<MailApi, "required">> {}

/**
 * Sign-in by a link mailed through any HTTP API. Needs its `url`, or `sendVerificationRequest`; reads
 * `AUTH_HTTP_EMAIL_KEY`, sent as a bearer token unless `auth` or `headers` say otherwise.
 */
export const httpEmailPlugin = defineProvider<EmailProvider, HttpEmailOptions>(
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
