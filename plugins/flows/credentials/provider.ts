import type { Awaitable, CredentialInput, ProviderBase, User } from "../../../src/kernel.ts";

declare module "../../../src/types/provider.ts" {
  interface ProviderTypes {
    credentials: CredentialsProvider;
  }
}

/** A provider whose posted fields, such as a name and a password, are verified by the application itself. */
export interface CredentialsProvider<
  Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>,
> extends ProviderBase {
  type: "credentials";
  /**
   * The form's fields by name. Only these fields reach `authorize`. If it is empty, the sign-in page shows no form for
   * the provider, and `authorize` receives everything that was posted, including `csrfToken` and `callbackUrl`, as with
   * Auth.js.
   */
  credentials: Fields;
  /**
   * Verifies the posted fields, which are text in an object without prototype; absent fields are left out. Returns the
   * user, or `null` when the fields are wrong. May throw `CredentialsSignin` (or a subclass with a `code`) to report
   * why. The user's `id` is required: non-empty text, a number or a bigint. `request` is the sign-in request; its body
   * has the same fields as JSON.
   */
  authorize(
    credentials: Partial<Record<keyof Fields, string>>,
    request: Request,
  ): Awaitable<User | null>;
  /**
   * Returns whether the application has verified the address of the user that `authorize` returned, for example by a
   * link or a code of its own. Default: unknown. The user's `emailVerified` is ignored.
   * - `true`: with stored sessions, the user is the stored user with this address, if that address is verified too. The
   *   password stays valid when a link by e-mail is followed. Without a real proof, anyone who registers another
   *   person's address takes over that person's user.
   * - `false`: a new user is refused (`EmailNotVerified`) if links by e-mail are configured and the adapter has no
   *   `revokeUserAccess`.
   * @throws TypeError for anything except a boolean or `undefined`, such as a promise.
   */
  emailVerified?(user: User): boolean | undefined;
}
