import type { Session } from "../../../src/client.ts";

/**
 * Reads the session that the server put into the page, or `undefined` if the page has to request
 * it.
 */
export function given(): Session | null | undefined {
  const text = document.querySelector("#session")?.textContent;
  return text ? (JSON.parse(text) as Session | null) : undefined;
}

/** Returns whether the page requires a session. */
export const isSecret = () => location.pathname.endsWith("/secret");

export const ADA = { username: "ada", password: "lovelace", redirect: false } as const;
export const WRONG = { ...ADA, password: "byron" } as const;

/** Returns the text that the pages of all frameworks show for a session. */
export function getName(status: string, data: Session | null): string {
  return status === "authenticated" ? (data?.user?.name ?? "?") : status;
}
