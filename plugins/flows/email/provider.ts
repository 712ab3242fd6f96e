import type { Awaitable, ProviderBase, ResolvedProvider, Theme } from "../../../src/kernel.ts";
import type { Limit } from "../../security/rate-limit.ts";

declare module "../../../src/types/provider.ts" {
  interface ProviderTypes {
    email: EmailProvider;
  }
}

declare module "../../../src/types/cookie.ts" {
  interface CookieKeys {
    emailCheck: true;
  }
}

/** The argument of `sendVerificationRequest`: the e-mail to send and the request for it. */
export interface VerificationRequest {
  /** The normalized address. */
  identifier: string;
  /** The sign-in link. */
  url: string;
  /** The token in the link; only its hash is stored. */
  token: string;
  /** The code of the e-mail, eight digits. Absent unless the provider's `code` is set. */
  code?: string;
  /** When the link expires. */
  expires: Date;
  provider: ResolvedProvider<EmailProvider>;
  theme: Theme;
  /** The visitor's request for the link; its body is JSON. */
  request: Request;
  /** The e-mail as the built-in providers send it, in the visitor's language. */
  mail: Mail;
}

/** A provider that sends a sign-in link by e-mail, through `sendVerificationRequest`, `api` or `smtp`. */
export interface EmailProvider extends ProviderBase {
  type: "email";
  /** The sender: an address or `Name <address>`. */
  from?: string;
  /** Lifetime of a link in seconds. Default 86400 (a day). */
  maxAge?: number;
  /**
   * Secret for hashing tokens. If there are several, the first one hashes new tokens, and all are accepted. Default:
   * the configuration's `secret`.
   */
  secret?: string | readonly string[];
  /** Key of the HTTP API. Default: `AUTH_<ID>_KEY`. */
  apiKey?: string;
  /** SMTP URL, options of a Nodemailer transport, or a transport. */
  server?: string | object;
  /** Imports Nodemailer, which sends the e-mail through `server`. */
  smtp?(): Promise<Mailer>;
  /** The HTTP API that sends the e-mail. */
  api?: MailApi;
  /** Sends the e-mail. It throws on failure, and is awaited for at most 10 seconds. */
  sendVerificationRequest?(params: VerificationRequest): Awaitable<void>;
  /**
   * Creates a token. Default: 32 random bytes as hexadecimal. Of tokens with fewer than 22 characters, such as codes of
   * six digits, only the newest of an address is accepted. Set a short `maxAge` for them.
   */
  generateVerificationToken?(): Awaitable<string>;
  /** Returns the canonical spelling of an address. Throws when the text is not an address. */
  normalizeIdentifier?(identifier: string): string;
  /**
   * Whether opening a link first shows a page with a button that redeems it. Programs that scan e-mails open links
   * without pressing the button.
   * - `auto` (default): except in the browser that requested the link
   * - `always`
   * - `never`: such a program uses the link up
   */
  confirm?: "auto" | "always" | "never";
  /**
   * Whether the e-mail also has a code of eight digits. For 15 minutes, the browser that requested the e-mail can enter
   * it on the verify-request page or post it as `code` to the sign-in route. At most 5 codes may be tried for an
   * e-mail, and 100 a day for an address. Default `false`.
   */
  code?: boolean;
  /**
   * Limit of attempts to redeem a token of one address; `false` for none. Default: 10 in 900 seconds if a provider
   * generates its own tokens (`generateVerificationToken`), which may be short enough to guess; otherwise `false`.
   * `rateLimit` limits how often links are requested.
   */
  attempts?: Limit | false;
  /** Texts by language tag; they override the built-in ones. */
  messages?: Readonly<Record<string, Partial<MailMessages>>>;
}

/** The sender of an e-mail. */
export interface MailSender {
  name?: string;
  address: string;
  /** Name and address as in a `From` header. */
  text: string;
}

/** An e-mail with a sign-in link. */
export interface Mail {
  /** Address of the recipient. */
  to: string;
  /** Absent if the service's template defines the sender. */
  from?: MailSender;
  subject: string;
  text: string;
  html: string;
  /** The sign-in link. */
  url: string;
}

/**
 * An HTTP API that sends e-mails, described as data. In its texts, `{apiKey}` stands for the provider's `apiKey`, and
 * `{domain}` for the domain of `from`.
 */
export interface MailApi {
  /** An https URL, which receives a POST request for each e-mail. */
  url: string;
  /** Value of the `Authorization` header. The part after `Basic ` is encoded as base64 when it is sent. */
  auth?: string;
  /** Additional headers, such as one with the key. */
  headers?: Record<string, string>;
  /** Returns the fields of the request. `undefined` fields are left out. */
  body(mail: Mail): object;
  /** How the fields are sent. Default `json`; `form` is multipart. */
  as?: "json" | "form";
  /** Sender and content are in a template at the service, so `from` is not required. */
  templated?: true;
  /** Values of required options by name. Boot reports missing ones. */
  required?: Readonly<Record<string, unknown>>;
}

/** The part of Nodemailer that Keyhook uses. */
export interface Mailer {
  createTransport(server: object): MailTransport;
}

/** A Nodemailer transport. */
export interface MailTransport {
  sendMail(mail: object): Promise<unknown>;
}

/**
 * The texts of an e-mail in one language. `{host}` stands for the site's host, `{duration}` for the
 * lifetime of the link.
 */
export interface MailMessages {
  subject: string;
  heading: string;
  /** Above the button, and above the link in the plain text. */
  invitation: string;
  /** Label of the button. */
  button: string;
  /** Between the button and the link for copying. */
  fallback: string;
  /** Above the code. `{duration}` stands for its lifetime. */
  code: string;
  /** How often and how long the link works. */
  validity: string;
  /** For a recipient who did not request the e-mail. */
  notice: string;
  /** Direction of the language. Default `ltr`. */
  direction?: "ltr" | "rtl";
}
