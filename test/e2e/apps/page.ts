import type { Session } from "../../../src/client.ts";

/** What the server put into the page; `undefined` when it left the session to be asked for. */
export function given(): Session | null | undefined {
  const text = document.querySelector("#session")?.textContent;
  return text ? (JSON.parse(text) as Session | null) : undefined;
}

/** Of a page that is for members. */
export const isSecret = () => location.pathname.endsWith("/secret");

export const ADA = { username: "ada", password: "lovelace", redirect: false } as const;
export const WRONG = { ...ADA, password: "byron" } as const;

/** What the pages of all frameworks say about a session. */
export function nameOf(status: string, data: Session | null): string {
  return status === "authenticated" ? (data?.user?.name ?? "?") : status;
}
