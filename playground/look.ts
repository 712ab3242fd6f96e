import type { Theme } from "../presets/index.ts";

/** What a visitor can choose, and how it is called. The first of each is what nobody chose. */
export const CHOICES = {
  language: {
    auto: "Auto",
    en: "English",
    de: "Deutsch",
    fr: "Français",
    es: "Español",
    ja: "日本語",
    zh: "中文",
    ar: "العربية",
  },
  scheme: { auto: "Auto", light: "Light", dark: "Dark" },
  color: { blue: "Blue", teal: "Teal", plum: "Plum", amber: "Amber" },
} as const;

/** A choice of each kind. */
export type Look = { -readonly [Kind in keyof typeof CHOICES]: keyof (typeof CHOICES)[Kind] };

/** The colours as in `public/style.css`. */
const COLORS: Record<Look["color"], string> = {
  blue: "#2353d9",
  teal: "#0f766e",
  plum: "#a21caf",
  amber: "#f5b301",
};

// What comes in a cookie or a form is anybody's text.
function chosen<Kind extends keyof Look>(kind: Kind, given: unknown, otherwise?: Look[Kind]) {
  const known = Object.keys(CHOICES[kind]) as Look[Kind][];
  return known.find((name) => name === given) ?? otherwise ?? (known[0] as Look[Kind]);
}

/** The look in a request's cookie. */
export function lookOf({ headers }: Request): Look {
  const cookie = /(?:^|;\s*)look=([^;]*)/.exec(headers.get("cookie") ?? "")?.[1];
  return lookWith(new URLSearchParams(cookie));
}

/** A look with the choices of a form or a cookie. */
export function lookWith(data: URLSearchParams | FormData, before?: Look): Look {
  return {
    language: chosen("language", data.get("language"), before?.language),
    scheme: chosen("scheme", data.get("scheme"), before?.scheme),
    color: chosen("color", data.get("color"), before?.color),
  };
}

/** The cookie that keeps a look, for a year. */
export function lookCookie(look: Look): string {
  return `look=${new URLSearchParams(look)}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`;
}

/** The look of Keyhook's own pages and mails. */
export function themeOf({ scheme, color }: Look): Theme {
  return { colorScheme: scheme, brandColor: COLORS[color] };
}
