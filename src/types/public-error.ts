/** What an error class states about itself, such as one of `defineError` (`keyhook/errors`). */
export interface ErrorFacts {
  readonly type: string;
  readonly status: number;
}

/** Options of a public error: how pages and JSON responses explain it. */
export interface ErrorPageOptions {
  /** The part of its text ids that names it. Default: the error's `type`. */
  text?: string;
  /** HTTP status of the error page. Default: the class's, else 400. */
  status?: number;
  /** The sentence on the sign-in page, by language tag: `{ en: "The code is wrong." }`. */
  messages?: Readonly<Record<string, string>>;
  /** English sentence in the JSON responses of routes. Default: that of `messages`, else one for the status. */
  message?: string;
}

/** A public error as it is registered. */
export type PublicError = Required<Pick<ErrorPageOptions, "text" | "status">> &
  Pick<ErrorPageOptions, "message">;
