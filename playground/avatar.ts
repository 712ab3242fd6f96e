import { type Markup, markup } from "./markup.ts";

const TINTS = 5;

/** Renders a user's initials on a color derived from the name. */
export function avatar(name: string): Markup {
  const initials = name
    .split(" ")
    .map((word) => word[0])
    .slice(0, 2)
    .join("");
  const tint = [...name].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0) % TINTS;
  return markup`<span class="avatar tint-${tint}" aria-hidden="true">${initials}</span>`;
}
