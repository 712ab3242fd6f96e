import type { Translator } from "./message.ts";
import type { Awaitable } from "./models.ts";
import type { Theme } from "./options.ts";

/** A message to the visitor, in the visitor's language. */
export interface Message {
  tone: "info" | "error";
  text: string;
}

/** An input of a form. */
export interface Field {
  name: string;
  /** Default: the name. */
  label?: string | undefined;
  /** Any HTML input type that takes text, a number, a date, a color or a choice. Default `text`. */
  type?: string | undefined;
  value?: string | undefined;
  /** More HTML attributes. Names are checked against an allow-list; others (`on*`, `style`, ...) are dropped. */
  attributes?: Record<string, string | number | boolean | undefined> | undefined;
}

/** An icon as data: SVG paths in a view box of 24 by 24, drawn in order. */
export type Icon = readonly {
  /** SVG path data. */
  d: string;
  /** A CSS color. Default: the color of the text. */
  fill?: string | undefined;
  /** How the inside of the path is determined (SVG 2, `fill-rule`). Default `evenodd`. */
  rule?: "evenodd" | "nonzero" | undefined;
}[];

/**
 * A form that is sent by POST. `ctx.page` adds the hidden field `csrfToken` to a form that posts to Keyhook's routes.
 */
export interface Form {
  id?: string | undefined;
  /** URL that the form posts to: http(s) or relative. A form with any other URL is not rendered. */
  action: string;
  fields?: readonly Field[] | undefined;
  /** Hidden fields by name; `undefined` ones are left out. */
  hidden?: Record<string, string | undefined> | undefined;
  /** Label of the button. */
  submit: string;
  /** A second button, which posts a field of its own. `fields` are inputs that only this button needs. */
  other?: { submit: string; name: string; value: string; fields?: readonly Field[] } | undefined;
  /** Short label for a small button; `submit` remains its accessible name. */
  short?: string | undefined;
  /** CSS color of the button. */
  color?: string | undefined;
  /** Icon on the button. Default, on a provider's button: the provider's initial. */
  icon?: Icon | undefined;
  /** Image on a provider's button instead of the icon: a `data:` URL, or a path on the page's own origin. */
  logo?: string | undefined;
  /**
   * Look of the button. A provider's lone button is always `plain`, and the small button of a list's row is `plain`
   * unless it is `danger`. Default of all others: `primary`, but `plain` after the first form of the sign-in page.
   */
  look?: "primary" | "plain" | "danger" | undefined;
  /**
   * Whether a click counts only after the pointer has been over the page for half a second. For a form that grants
   * something by one click: otherwise another site could open a window under the pointer, so that the second half of a
   * double click presses the button.
   */
  deliberate?: boolean | undefined;
  script?: FormScript | undefined;
}

/**
 * The script that a form needs. Until it has run, a text is shown in place of the form: the form is `hidden`, and the
 * element after it contains `fallback` and has `failure` as `data-failed`. The script finds its own forms by
 * `data-live`, which is `src`: its `import.meta.url`. It removes `hidden` and empties the element after the form.
 * A double click posts the form once, unless the script sets `data-again`. Other origins must be allowed by the
 * `policy` of the page. The script of passkeys (`kernel.flow("webauthn").form`) registers a passkey if the field or
 * button `action` has the value `register`, and signs in otherwise.
 */
export interface FormScript {
  /** URL of an ES module below the routes' base path on the page's own origin; any other URL is not loaded. */
  src: string;
  /** Hash of the module, in the format of the `integrity` attribute (Subresource Integrity). */
  integrity: string;
  /** Text that is shown while the script has not run. */
  fallback: string;
  /** Text that the script shows after a failure. */
  failure: string;
}

/** A row of a list, with an optional action. */
export interface Item {
  title: string;
  text?: string | undefined;
  /** A short label that marks the row, such as "This browser". */
  badge?: string | undefined;
  /** Default: the title's initial. */
  icon?: Icon | undefined;
  /** A form that is rendered as one small button at the end of the row, without its visible fields. */
  form?: Form | undefined;
}

/** A part of a page. */
export type Block =
  | {
      kind: "form";
      form: Form;
      /** Id of the provider that the form belongs to. */ provider?: string | undefined;
    }
  /** `language` is the tag of a text that is not in the page's language. */
  | { kind: "text"; text: string; language?: string }
  /** Text to be copied verbatim, such as a key: monospaced, left to right, with its line breaks. */
  | { kind: "code"; text: string }
  | {
      kind: "link";
      text: string;
      href: string;
      button?: boolean | undefined;
      newTab?: boolean | undefined;
    }
  /**
   * An image, such as a QR code: a `data:` URL of an image, or a path on the page's own origin; any other URL is not
   * rendered. `alt` describes it to those who cannot see it. Width and height are in pixels.
   */
  | {
      kind: "image";
      src: string;
      alt: string;
      width?: number | undefined;
      height?: number | undefined;
    }
  | { kind: "divider"; text?: string | undefined }
  /** Small provider buttons in columns. */
  | { kind: "grid"; blocks: readonly Block[] }
  /** Blocks collapsed behind a button with the text (`<details>`). */
  | { kind: "more"; text: string; blocks: readonly Block[] }
  /** The signed-in user. */
  | {
      kind: "person";
      name?: string | undefined;
      email?: string | undefined;
      image?: string | undefined;
    }
  /** Blocks under a heading; taps of the page's hook find the section by `name`. */
  | {
      kind: "section";
      name: string;
      heading: string;
      text?: string | undefined;
      blocks: readonly Block[];
    }
  | { kind: "list"; items: readonly Item[] };

/**
 * A page as JSON, for a request that accepts JSON but not HTML: in the visitor's language, with the CSRF token in the
 * forms that need it.
 */
export type PageData = Pick<
  Page,
  "name" | "title" | "heading" | "message" | "icon" | "blocks" | "data"
> &
  Pick<Translator, "language" | "direction">;

/** The inputs of a page renderer besides the page. */
export interface PageRenderOptions {
  theme: Theme;
  /** Nonce of the content security policy: unguessable, new for each response. */
  nonce: string;
  /** URL of the page. */
  url: URL;
  /** Returns the token that forms posting to Keyhook's routes must contain; a new one sets a cookie. */
  csrfToken(): Awaitable<string | undefined>;
  /** Public origin. */
  origin: string;
  /** Origin and base path of the routes. */
  base: string;
  /** Whether responses to the page's forms may redirect to another origin. Default `false`. */
  leavesOrigin?: boolean;
  translator: Pick<Translator, "language" | "direction">;
  /** Whether to respond with the page as JSON (`PageData`), for a page that the application renders itself. */
  asData?: boolean;
  /** Called in development with what was dropped because it is unsafe or unknown. */
  dropped?(what: string): void;
}

/** Renders a page as a response with the headers that belong to it. */
export type PageRenderer = (page: Page, options: PageRenderOptions) => Awaitable<Response>;

/** A page as data; every value is escaped once, when the page is rendered. */
export interface Page {
  /** Name of the page's hook. */
  name: string;
  title: string;
  /** Default: the title. */
  heading?: string | undefined;
  /** HTTP status. Default 200. */
  status?: number | undefined;
  message?: Message | undefined;
  /** Icon above the heading. */
  icon?: "leave" | "mail" | "warning" | undefined;
  /** Set if the page's URL contains a token, which must never be sent as a referrer (SECURITY.md R18). */
  secretUrl?: true | undefined;
  /** Sources to add to the content security policy, by directive: `{ "img-src": "https://cdn.example" }`. */
  policy?: Readonly<Record<string, string>> | undefined;
  /** Nonce to use instead of the response's own, if the application sends a policy of its own too. */
  nonce?: string | undefined;
  /**
   * Set if the page shows nothing personal: the renderer may then reuse the HTML for other responses with the same
   * content, and replaces only the nonce and the CSRF token.
   */
  reusable?: true | undefined;
  /**
   * Data for a script that the page's texts do not contain, such as ids and dates; part of the JSON (`PageData`) only.
   */
  data?: Readonly<Record<string, unknown>> | undefined;
  blocks: readonly Block[];
}
