/** Texts by id, such as `signin.heading`; `{name}` in a text stands for a value. */
export type Messages = Readonly<Record<string, string>>;

/** A language that pages and mails can be read in. */
export interface Language {
  /** BCP 47, such as `de` or `pt-BR`. */
  tag: string;
  /** Default `ltr`. */
  direction?: "ltr" | "rtl";
  /** What is missing is said in English. */
  messages: Messages;
}

/** The texts as one visitor reads them. */
export interface Reading {
  /** Tag of the language. */
  readonly language: string;
  readonly direction: "ltr" | "rtl";
  /** The text of an id, its values filled in as they are: they are escaped where they are printed. */
  say(id: string, values?: Readonly<Record<string, string | number>>): string;
}
