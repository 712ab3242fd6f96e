/** Texts by id, such as `signin.heading`; `{name}` in a text is a placeholder for a value. */
export type Messages = Readonly<Record<string, string>>;

/** A language that pages and e-mails are available in. */
export interface Language {
  /** Language tag (BCP 47), such as `de` or `pt-BR`. */
  tag: string;
  /** Default `ltr`. */
  direction?: "ltr" | "rtl";
  /** Texts by id; a missing one falls back to English. */
  messages: Messages;
}

/** Looks up texts in the language of one visitor. */
export interface Translator {
  /** Tag of the language. */
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  /** Whether the language, or English, has a text of this id. */
  has(id: string): boolean;
  /**
   * Returns the text of an id, or the id itself when there is none. Values replace the placeholders as
   * they are: the text is escaped where it is printed.
   */
  t(id: string, values?: Readonly<Record<string, string | number>>): string;
}
