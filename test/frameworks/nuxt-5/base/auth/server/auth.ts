import { storeAdapter } from "keyhook/adapters/store";
import { createAuth } from "keyhook/h3";
import { germanPlugin } from "keyhook/languages/de";
import { credentialsPlugin } from "keyhook/providers/credentials";
import { nodemailerPlugin } from "keyhook/providers/nodemailer";
import { passkeyPlugin } from "keyhook/providers/passkey";
import { rateLimit } from "keyhook/security/rate-limit";

const ADA = { id: "1", name: "Ada", email: "ada@example.com" };

const { LOGIN_PAGE, SMTP_URL, MAIL_LOG } = process.env;

const auth = createAuth({
  pages: { signIn: LOGIN_PAGE },
  experimental: { enableWebAuthn: true },
  session: { updateAge: 0 },
  providers: [
    {
      id: "op",
      name: "Example",
      type: "oidc",
      issuer: process.env.OP_ISSUER,
      clientId: process.env.OP_ID,
      clientSecret: process.env.OP_SECRET,
    },
  ],
})
  .use(germanPlugin())
  .use(
    credentialsPlugin({
      credentials: { username: {}, password: { type: "password" } },
      authorize: ({ username, password }) =>
        username === "ada" && password === "lovelace" ? ADA : null,
    }),
  );

// Another process of the same build has users, in the store that the module's options name.
if (SMTP_URL || MAIL_LOG) {
  auth
    .use(storeAdapter())
    .use(passkeyPlugin())
    .use(
      nodemailerPlugin({
        name: "E-mail",
        from: "app@example.com",
        ...(SMTP_URL && { server: SMTP_URL }),
        ...(MAIL_LOG && {
          id: "mail",
          sendVerificationRequest: ({ url, identifier }) => {
            console.log(`mailed to ${identifier}: ${url}`);
          },
        }),
      }),
    );
}
if (MAIL_LOG) auth.use(rateLimit(false));

export default auth;
