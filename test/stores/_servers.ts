import { describe } from "vitest";
import { isListening } from "./_is-listening.ts";
import { SERVERS } from "./_servers-at.ts";

export * from "./_servers-at.ts";

/** Describes tests that need a server. They are skipped with a warning if it is missing, but required on CI. */
export async function describeWith(
  server: keyof typeof SERVERS,
  name: string,
  body: () => void,
): Promise<void> {
  const place = SERVERS[server];
  const missing = !process.env.CI && !(await isListening(place));
  if (missing) console.warn(`no ${server} at ${place.host}:${place.port}: "${name}" is skipped`);
  describe.skipIf(missing)(name, () => {
    body();
  });
}
