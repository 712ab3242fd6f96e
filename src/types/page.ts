/** A message by its meaning; `text` is English. */
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
  /** A CSS colour for the button. */
  color?: string;
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

/** A part of a page. */
export type Block =
  | { kind: "form"; form: Form; /** The way in this form belongs to. */ provider?: string }
  | { kind: "text"; text: string }
  | { kind: "link"; text: string; href: string; button?: boolean }
  | { kind: "divider"; text?: string };

/** A page as data: rendered and escaped once. */
export interface Page {
  /** Name of the page's hook. */
  name: string;
  title: string;
  heading?: string;
  status?: number;
  message?: Message;
  /** Its URL holds a token: no other page may be told of it (SECURITY.md R18). */
  secretUrl?: true;
  blocks: readonly Block[];
}
