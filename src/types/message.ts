/** The forms of a text by the plural category of its value `count` (`Intl.PluralRules` of the language). */
export type PluralForms = Readonly<
  Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }
>;

/**
 * Texts by id, such as `signin.heading`; `{name}` in a text is a placeholder for a value. A text that depends on a
 * number has a form per plural category: `{ one: "{count} code", other: "{count} codes" }`.
 */
export type Messages = Readonly<Record<string, string | PluralForms>>;

/** A language that pages and e-mails are available in. */
export interface Language {
  /** Language tag (BCP 47), such as `de` or `pt-BR`. */
  tag: string;
  /** Writing direction. Default `ltr`. */
  direction?: "ltr" | "rtl";
  /** Texts by id; a missing one falls back to English. */
  messages: Messages;
}

/** Texts that a plugin added: those of a language that it offers, or more texts for a language. */
export interface AddedTexts extends Language {
  isOffered: boolean;
  /** Name of the plugin. */
  plugin: string;
}

/** Looks up texts in the language of one visitor. */
export interface Translator {
  /** Tag of the language. */
  readonly language: string;
  /**
   * Tag by which dates are formatted, in lower case: that of the visitor with the region, such as `en-gb` even if texts
   * are in `en`.
   */
  readonly locale: string;
  readonly direction: "ltr" | "rtl";
  /** Whether the language, or English, has a text of this id. */
  has(id: string): boolean;
  /**
   * Returns the text of an id, or the id itself if there is none. Values replace the placeholders unescaped: the text
   * is escaped where it is rendered. `count` chooses among the plural forms of a text.
   */
  t(id: string, values?: Readonly<Record<string, string | number>>): string;
}
