/** Whom a mail comes from. */
export interface MailSender {
  name?: string;
  address: string;
  /** Both as a `From` header has them. */
  text: string;
}

/** A mail with a link to sign in, as it goes out. */
export interface Mail {
  /** One address. */
  to: string;
  /** Absent where the service's template has one. */
  from?: MailSender;
  subject: string;
  text: string;
  html: string;
  /** The link inside. */
  url: string;
}

/**
 * An HTTP API that takes mails, told as data. In its texts `{apiKey}` stands for the provider's
 * `apiKey`, and `{domain}` for the domain of `from`.
 */
export interface MailApi {
  url: string;
  /** Value of the `Authorization` header. What follows `Basic ` is encoded when it is sent. */
  auth?: string;
  headers?: Record<string, string>;
  /** The fields of the request; `undefined` ones are left out. */
  body(mail: Mail): object;
  /** How they are sent. Default `json`; `form` is multipart. */
  as?: "json" | "form";
  /** Sender and content are a template at the service: no `from` is needed. */
  templated?: true;
  /** Options that must be there, by name. */
  required?: Readonly<Record<string, unknown>>;
}

/** What is used of Nodemailer. */
export interface Mailer {
  createTransport(server: object): MailTransport;
}

/** A transport of Nodemailer. */
export interface MailTransport {
  sendMail(mail: object): Promise<unknown>;
}

/**
 * The texts of a mail in one language. `{host}` stands for the site, `{duration}` for how long the
 * link works.
 */
export interface MailMessages {
  subject: string;
  heading: string;
  /** Above the button, and above the link in plain text. */
  invitation: string;
  /** On the button. */
  button: string;
  /** Above the link below the button. */
  fallback: string;
  validity: string;
  /** For those who did not ask for it. */
  notice: string;
  /** Default `ltr`. */
  direction?: "ltr" | "rtl";
}

/** A bound: so many in so many seconds. */
export interface Limit {
  max: number;
  window: number;
}

/** How often somebody may ask. `false` is without bound. */
export interface EmailLimits {
  /** Mails to one address. Default 10 in 900 seconds. */
  address?: Limit | false;
  /** Mails asked for from one network. Default 100 in 900 seconds. */
  network?: Limit | false;
  /**
   * Attempts to use a token of one address. Default 10 in 900 seconds where the provider makes its
   * own tokens, which may be short enough to be guessed; else without bound.
   */
  attempts?: Limit | false;
  /**
   * The network that a request comes from; `undefined` is not counted. Default: the first address of
   * `X-Forwarded-For`, of IPv6 the first half. Behind a proxy that does not overwrite the header, say
   * where the proxy puts it.
   */
  networkOf?(request: Request): string | undefined;
}
