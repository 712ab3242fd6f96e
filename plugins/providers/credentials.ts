import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { credentialsFlow, type CredentialsProvider } from "../flows/credentials.ts";

/**
 * Adds sign-in with credentials that the application itself verifies, such as a user name and a
 * password. Requires `authorize`; `credentials` are the fields of the form on the sign-in page.
 */
export const credentialsPlugin: ProviderFactory<
  CredentialsProvider,
  Pick<CredentialsProvider, "authorize">
> = defineProvider(credentialsFlow, ({ authorize, credentials = {} }) => ({
  id: "credentials",
  name: "Credentials",
  type: "credentials",
  credentials,
  authorize,
}));

export default credentialsPlugin;
