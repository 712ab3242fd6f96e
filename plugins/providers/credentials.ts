import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { credentialsFlow, type CredentialsProvider } from "../flows/credentials.ts";

/**
 * Adds sign-in with credentials that the application itself verifies, such as a user name and a
 * password. Requires `authorize`; `credentials` are the fields of the form on the sign-in page.
 */
export const credentialsPlugin: ProviderFactory<CredentialsProvider> = defineProvider(
  credentialsFlow,
  // `authorize` is given by the application; without it, boot fails.
  () => ({ id: "credentials", name: "Credentials", type: "credentials" }) as CredentialsProvider,
);

export default credentialsPlugin;
