import { storeAdapter } from "keyhook/adapters/store";
import { createAuth } from "keyhook/nitro";
import { rateLimit } from "keyhook/security/rate-limit";

console.log("stored.ts was loaded");

export default createAuth({
  session: { updateAge: 0 },
  callbacks: {
    session: ({ session, user }) => ({ ...session, user: { ...session.user, id: user.id } }),
  },
  providers: [
    {
      id: "mail",
      name: "E-mail",
      type: "email",
      from: "app@example.com",
      sendVerificationRequest: ({ url, identifier }) => {
        console.log(`mailed to ${identifier}: ${url}`);
      },
    },
  ],
})
  .use(storeAdapter())
  .use(rateLimit(false));
