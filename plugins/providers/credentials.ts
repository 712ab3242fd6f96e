import { type CredentialInput, defineProvider, type ProviderPlugin } from "../../src/kernel.ts";
import { credentialsFlow, type CredentialsProvider } from "../flows/credentials.ts";

/** The options of `credentialsPlugin`: `authorize`, and optionally every other field of the provider. */
export type CredentialsOptions<Fields extends Record<string, CredentialInput>> = {
  [K in keyof Omit<CredentialsProvider, "authorize" | "credentials" | "options">]?:
    | CredentialsProvider[K]
    | undefined;
} & { credentials?: Fields | undefined } & Pick<CredentialsProvider<Fields>, "authorize">;

/**
 * Adds sign-in with credentials that the application itself verifies, such as a user name and a
 * password. Requires `authorize`; `credentials` are the fields of the form on the sign-in page.
 */
export const credentialsPlugin: <
  Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>,
>(
  options: CredentialsOptions<Fields>,
) => ProviderPlugin<CredentialsProvider> = defineProvider<
  CredentialsProvider,
  Pick<CredentialsProvider, "authorize">
>(credentialsFlow, ({ authorize, credentials = {} }) => ({
  id: "credentials",
  name: "Credentials",
  type: "credentials",
  credentials,
  authorize,
}));

export default credentialsPlugin;
