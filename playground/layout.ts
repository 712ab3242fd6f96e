import type { Look } from "./look.ts";
import { type Markup, markup } from "./markup.ts";

/** A page of the application. */
export interface AppPage {
  title: string;
  /** Its path in the navigation. */
  here?: string;
  content: Markup;
}

const PLACES = {
  "/": "Session",
  "/auth/account": "Account",
  "/outbox": "Outbox",
  "/auth/inspector": "Inspector",
};

/** Renders a page with its header, in the visitor's look. */
export function layout({ title, here, content }: AppPage, { scheme, color }: Look): Markup {
  const links = Object.entries(PLACES).map(
    ([href, text]) =>
      markup`<a href="${href}"${href === here && markup` aria-current="page"`}>${text}</a>`,
  );
  return markup`<!DOCTYPE html>
<html lang="en" data-scheme="${scheme}" data-color="${color}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Keyhook playground</title>
<link rel="icon" href="/key.svg">
<link rel="stylesheet" href="/style.css">
<script type="module" src="/page.js"></script>
</head>
<body>
<header class="top">
<a class="brand" href="/"><img src="/key.svg" alt="" width="28" height="28">Keyhook <span>playground</span></a>
<nav>${links}</nav>
</header>
${content}
</body>
</html>
`;
}

/** Formats the time of day. */
export const clock = (at: Date | string) => new Date(at).toTimeString().slice(0, 8);
