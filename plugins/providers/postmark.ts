import { defineProvider } from "../../src/index.ts";
import type { EmailProvider } from "../../src/index.ts";

/** What Postmark can be told beside the fields every e-mail provider has. */
export interface PostmarkOptions {
  /** Default `outbound`. */
  messageStream?: string;
}

/** Sign-in by a link mailed through Postmark. Needs `from`; reads `AUTH_POSTMARK_KEY`. */
export const postmarkPlugin = defineProvider<EmailProvider, PostmarkOptions>(
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
        // A tracked link is another site's, which would learn the token.
        TrackLinks: "None",
      }),
    },
  }),
);

export default postmarkPlugin;
