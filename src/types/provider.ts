import type { Icon } from "./page.ts";
import type { ProviderId } from "./provider-id.ts";

/** The id of a configured provider. Editors suggest those that Keyhook brings. */
export type AnyProviderId = ProviderId | (string & Record<never, never>);

/**
 * The provider types and the shape of their configuration. A plugin adds a type by augmentation: `declare module
 * "keyhook/types" { interface ProviderTypes { sms: Sms } }`.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- flows add to it
export interface ProviderTypes {}

/** Any provider, discriminated by `type`. */
export type Provider = ProviderTypes[keyof ProviderTypes];

/** The fields that every provider has. */
export interface ProviderBase {
  /**
   * Unique among the configured providers. It is part of URLs: a letter or digit, then letters, digits and `. _ ~ -`; at
   * most 100 characters.
   */
  id: string;
  /** Label of its button on the sign-in page. */
  name: string;
  /** Name of the flow that handles the provider. */
  type: string;
  /** Look of its button. */
  style?: ProviderStyle;
  /**
   * Links a sign-in to the stored user with the same address, unless the provider states the address as not verified,
   * or that user only claimed it. A provider that says nothing about the address links too. Default `false`
   * (SECURITY.md R5).
   */
  allowDangerousEmailAccountLinking?: boolean;
  /** The options that the application passed; merged over the provider's own values at boot. */
  options?: Record<string, unknown>;
}

/** The look of a provider's button. */
export interface ProviderStyle {
  /** A CSS color. */
  brandColor?: string;
  /** Loads the icon of its button, when the first page that shows it is rendered. Default: the provider's initial. */
  icon?(): Promise<{ readonly ICON: Icon }>;
  /**
   * Image to use instead of the icon: `data:image/...`, or a path on the origin of the pages. An image of another origin
   * is not shown, since it would tell that server about each visitor.
   */
  logo?: string;
  /** @deprecated use `brandColor` */
  bg?: string;
  /** @deprecated has no effect */
  text?: string;
}

/** A provider during a request, with its two URLs on the public origin of that request. */
export type ResolvedProvider<P extends ProviderBase = ProviderBase> = P & {
  readonly callbackUrl: string;
  readonly signinUrl: string;
};

/**
 * A label of a form: a text; a text per language tag; the id of a message; or one of the words that every language
 * has: `username`, `email`, `phone`, `password`, `code` or `pin`.
 */
export type Label = string | Readonly<Record<string, string>>;

/** A form field of a provider: its label and HTML `input` attributes. */
export interface CredentialInput {
  /** Default: the field's name, translated if it is a word such as `password`. */
  label?: Label;
  /** Type of the `input`, such as `password` or `email`. Default `text`. */
  type?: string;
  /** An example of a value. */
  placeholder?: string;
  /** Initial value of the field. */
  value?: string;
  /** Whether the browser requires a value before it sends the form. `authorize` must still check it. */
  required?: boolean;
  /** What password managers fill in. Default: derived from the field's name and type, such as `current-password`. */
  autocomplete?: string;
  [attribute: string]: string | number | boolean | Label | undefined;
}

/** The options that an application may pass to a built-in provider: its fields, all optional. */
export type ProviderOptions<P extends ProviderBase> = Partial<Omit<P, "options" | "type">>;

/** The public part of a provider, as `GET /providers` lists it. */
export interface PublicProvider {
  id: string;
  name: string;
  type: string;
  signinUrl: string;
  callbackUrl: string;
  /** Present if `signIn` posts the fields to `callbackUrl`, whose response signs in; else it posts to `signinUrl`. */
  direct?: true;
  /** Name of the ceremony that the browser must perform first, such as `webauthn`. */
  ceremony?: string;
}
