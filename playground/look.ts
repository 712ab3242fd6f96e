import type { Theme } from "../presets/index.ts";

/** The choices of a visitor with their labels. The first of each is the default. */
export const CHOICES = {
  language: {
    auto: "Auto",
    en: "English",
    de: "Deutsch",
    fr: "Français",
    es: "Español",
    "pt-BR": "Português",
    it: "Italiano",
    pl: "Polski",
    ja: "日本語",
    ko: "한국어",
    zh: "简体中文",
    "zh-Hant": "繁體中文",
    ar: "العربية",
  },
  scheme: { auto: "Auto", light: "Light", dark: "Dark" },
  color: { blue: "Blue", teal: "Teal", plum: "Plum", amber: "Amber" },
} as const;

/** One choice of each kind. */
export type Look = { -readonly [Kind in keyof typeof CHOICES]: keyof (typeof CHOICES)[Kind] };

/** The colors, as in `public/style.css`. */
const COLORS: Record<Look["color"], string> = {
  blue: "#2353d9",
  teal: "#0f766e",
  plum: "#a21caf",
  amber: "#f5b301",
};

// The values of a cookie or a form are untrusted text.
function chosen<Kind extends keyof Look>(kind: Kind, given: unknown, otherwise?: Look[Kind]) {
  const known = Object.keys(CHOICES[kind]) as Look[Kind][];
  return known.find((name) => name === given) ?? otherwise ?? (known[0] as Look[Kind]);
}

/** Reads the look from a request's cookie. */
export function parseLook({ headers }: Request): Look {
  const cookie = /(?:^|;[ \t]*)look=([^;]*)/.exec(headers.get("cookie") ?? "")?.[1];
  return toLook(new URLSearchParams(cookie));
}

/** Reads a look from a form or a cookie. */
export function toLook(data: URLSearchParams | FormData, before?: Look): Look {
  return {
    language: chosen("language", data.get("language"), before?.language),
    scheme: chosen("scheme", data.get("scheme"), before?.scheme),
    color: chosen("color", data.get("color"), before?.color),
  };
}

/** Builds the cookie that stores a look for a year. */
export function lookCookie(look: Look): string {
  return `look=${new URLSearchParams(look)}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`;
}

/** Returns the theme of Keyhook's own pages and mails for a look. */
export function toTheme({ scheme, color }: Look): Theme {
  return { colorScheme: scheme, brandColor: COLORS[color] };
}
