/** A message by its meaning, in the visitor's language. */
export interface Message {
  tone: "info" | "error";
  text: string;
}

/** An input of a form. */
export interface Field {
  name: string;
  label?: string;
  /** Any HTML input type. Default `text`. */
  type?: string;
  value?: string;
  /** Further HTML attributes; names are checked, `on*` and `style` refused. */
  attributes?: Record<string, string | number | boolean | undefined>;
}

/** A sign as data: shapes on a ground of 24 by 24, in order. */
export type Mark = readonly {
  /** Path data of SVG. */
  d: string;
  /** A CSS colour. Default: that of the text. */
  fill?: string;
}[];

/** A form that posts. */
export interface Form {
  id?: string;
  action: string;
  fields?: readonly Field[];
  /** Fields that are not shown. */
  hidden?: Record<string, string | undefined>;
  submit: string;
  /** A second button, which posts a value of its own. */
  other?: { submit: string; name: string; value: string };
  /** Its label where there is little room; `submit` is still what is read out. */
  short?: string;
  /** A CSS colour for the button. */
  color?: string;
  /** The sign on its button. Default: the provider's initial. */
  mark?: Mark;
  /** A picture for the button instead: a `data:` URL, or one of the own origin. */
  logo?: string;
  /** Weight of the button. Default: `plain` for a provider's button alone, else `primary`. */
  look?: "primary" | "plain" | "danger";
  live?: LiveForm;
}

/**
 * What brings a form to life: it is hidden until its script has run, and shows a text instead. That of
 * passkeys (`kernel.flow("webauthn").form`) registers one where the field or button `action` says
 * `register`, and signs in elsewhere.
 */
export interface LiveForm {
  /** URL of an ES module on the own origin. */
  script: string;
  /** The module's hash, as for `integrity` (Subresource Integrity). */
  integrity: string;
  /** Shown where the script does not run. */
  instead: string;
  /** For the script to show when something goes wrong. */
  failed: string;
}

/** A row of a list, with what can be done about it. */
export interface Item {
  title: string;
  text?: string;
  /** A word that tells it from the others, such as "This device". */
  badge?: string;
  /** Default: the title's initial. */
  mark?: Mark;
  /** Its button stands at the row's end. */
  form?: Form;
}

/** A part of a page. */
export type Block =
  | { kind: "form"; form: Form; /** The way in this form belongs to. */ provider?: string }
  | { kind: "text"; text: string }
  | { kind: "link"; text: string; href: string; button?: boolean }
  | { kind: "divider"; text?: string }
  /** Buttons of providers, side by side. */
  | { kind: "grid"; blocks: readonly Block[] }
  /** Blocks behind a word that opens them. */
  | { kind: "more"; text: string; blocks: readonly Block[] }
  /** Who is signed in. */
  | { kind: "person"; name?: string; email?: string; image?: string }
  /** A part with a heading; `name` is for those who look for it. */
  | { kind: "section"; name: string; heading: string; text?: string; blocks: readonly Block[] }
  | { kind: "list"; items: readonly Item[] };

/** A page as data: rendered and escaped once. */
export interface Page {
  /** Name of the page's hook. */
  name: string;
  title: string;
  heading?: string;
  status?: number;
  message?: Message;
  /** Drawn above the heading. */
  sign?: "leave" | "mail" | "warning";
  /** Its URL holds a token: no other page may be told of it (SECURITY.md R18). */
  secretUrl?: true;
  /**
   * Sources that the content security policy allows besides its own, by directive:
   * `{ "img-src": "https://cdn.example" }`.
   */
  policy?: Readonly<Record<string, string>>;
  /** The application's nonce, where a policy of its own is in force too. */
  nonce?: string;
  blocks: readonly Block[];
}
