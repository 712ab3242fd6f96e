import type { Awaitable, CredentialInput, ProviderBase, User } from "../../../src/kernel.ts";

declare module "../../../src/types/provider.ts" {
  interface ProviderTypes {
    credentials: CredentialsProvider;
  }
}

/**
 * A provider whose posted fields the application itself verifies, such as a name and a password.
 */
export interface CredentialsProvider<
  Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>,
> extends ProviderBase {
  type: "credentials";
  /**
   * The form's fields by name; no others reach `authorize`. Without fields the sign-in page shows no form for the
   * provider, and `authorize` gets everything that was posted, as with Auth.js, `csrfToken` and `callbackUrl` too.
   */
  credentials: Fields;
  /**
   * Verifies the posted fields: text only, in an object without prototype; what was not posted is absent. Returns
   * the user, or `null` when the fields are wrong; may throw `CredentialsSignin` (or a subclass with a `code`) to
   * report why. The user's `id` is required: non-empty text, a number or a bigint. `request` is the sign-in
   * request, its body the same fields as JSON.
   */
  authorize(
    credentials: Partial<Record<keyof Fields, string>>,
    request: Request,
  ): Awaitable<User | null>;
  /**
   * Returns whether the application has verified the address of the user that `authorize` returned, such as by a link or a
   * code of its own. With stored sessions, such a user is the stored one of the address, if that is verified too, and
   * keeps the password when a link by e-mail is followed. Anyone who registers another person's address without a proof
   * takes that person's user over where this is `true`. `false` refuses a new user (`EmailNotVerified`) where links by e-mail
   * are configured and the adapter has no `revokeUserAccess`. Default: not known; `emailVerified` of the user is not looked at.
   * @throws TypeError for anything but a boolean and `undefined`, such as a promise.
   */
  emailVerified?(user: User): boolean | undefined;
}
