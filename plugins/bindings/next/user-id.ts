import { definePlugin, type Plugin } from "../../../src/kernel.ts";

/**
 * Gives the user of a stored session an `id` where the application reads it, as next-auth does: in `auth()` and the
 * handlers that it wraps. Browsers do not receive the id unless the `session` callback returns it.
 */
export const storedUserId: () => Plugin = definePlugin(function storedUserId(): Plugin {
  return {
    name: "bindings/next/user-id",
    setup({ hooks }) {
      hooks.session.tap("next-user-id", (session, { user }, { operation }) =>
        user && operation !== "request"
          ? { ...session, user: { id: String(user.id), ...session.user } }
          : undefined,
      );
    },
  };
});
