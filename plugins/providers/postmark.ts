import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider } from "../flows/email.ts";

/** Options of `postmarkPlugin`, in addition to those of every e-mail provider. */
export interface PostmarkOptions {
  /** The message stream at Postmark. Default `outbound`. */
  messageStream?: string;
}

/** Adds sign-in by a link mailed through Postmark. Requires `from`. Reads `AUTH_POSTMARK_KEY`. */
export const postmarkPlugin: ProviderFactory<EmailProvider, PostmarkOptions> = defineProvider(
  emailFlow,
  ({ messageStream = "outbound" }) => ({
    id: "postmark",
    name: "Postmark",
    type: "email",
    api: {
      url: "https://api.postmarkapp.com/email",
      headers: { "X-Postmark-Server-Token": "{apiKey}" },
      body: ({ from, to, subject, html, text }) => ({
        From: from?.text,
        To: to,
        Subject: subject,
        TextBody: text,
        HtmlBody: html,
        MessageStream: messageStream,
        // A tracked link goes through another site, which would learn the token.
        TrackLinks: "None",
      }),
    },
  }),
);

export default postmarkPlugin;
