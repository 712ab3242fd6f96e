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
  /** The form's fields by name. Without fields the sign-in page shows no form for the provider. */
  credentials: Fields;
  /**
   * Verifies the posted fields. Returns the user, or `null` when the fields are wrong; may throw
   * `CredentialsSignin` (or a subclass with a `code`) to report why. `request` is the sign-in
   * request, its body the fields as JSON.
   */
  authorize(
    credentials: Partial<Record<keyof Fields, unknown>>,
    request: Request,
  ): Awaitable<User | null>;
}
