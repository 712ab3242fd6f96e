import type { CredentialsProvider } from "../plugins/flows/credentials/provider.ts";
import type { EmailProvider, VerificationRequest } from "../plugins/flows/email/provider.ts";
import type { OAuthProvider, OIDCProvider } from "../plugins/flows/oauth/provider.ts";
import type { WebAuthnProvider } from "../plugins/flows/webauthn/provider.ts";
import type { CredentialInput, ProviderEntry, ProviderOptions } from "../src/kernel.ts";

export type { CredentialInput };
/** An entry of `providers`, under the name of Auth.js. */
export type Provider = ProviderEntry;
/** An OAuth 2 provider, under the name of Auth.js. */
export type OAuth2Config<P> = OAuthProvider<P>;
/** An OpenID provider, under the name of Auth.js. */
export type OIDCConfig<P> = OIDCProvider<P>;
/** An OAuth 2 or OpenID provider, under the name of Auth.js. */
export type OAuthConfig<P> = OAuth2Config<P> | OIDCConfig<P>;
/** The options of an OAuth 2 provider, under the name of Auth.js. */
export type OAuthUserConfig<P> = ProviderOptions<OAuthProvider<P>>;
/** The options of an OpenID provider, under the name of Auth.js. */
export type OIDCUserConfig<P> = ProviderOptions<OIDCProvider<P>>;
/** A provider of e-mailed links, under the name of Auth.js. */
export type EmailConfig = EmailProvider;
/** The options of a provider of e-mailed links, under the name of Auth.js. */
export type EmailUserConfig = ProviderOptions<EmailProvider>;
/** A provider of e-mailed links that nodemailer sends, under the name of Auth.js. */
export type NodemailerConfig = EmailProvider;
/** The options of a provider of e-mailed links that nodemailer sends, under the name of Auth.js. */
export type NodemailerUserConfig = EmailUserConfig;
/** What `sendVerificationRequest` is called with, under the name of Auth.js. */
export type EmailProviderSendVerificationRequestParams = VerificationRequest;
/** A credentials provider, under the name of Auth.js. */
export type CredentialsConfig<
  Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>,
> = CredentialsProvider<Fields>;
/** A passkey provider, under the name of Auth.js. */
export type WebAuthnConfig = WebAuthnProvider;
