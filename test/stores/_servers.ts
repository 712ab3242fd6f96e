import { connect } from "node:net";
import { describe } from "vitest";
import { SERVERS } from "./_servers-at.ts";

export * from "./_servers-at.ts";

function answers({ host, port }: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 });
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

/** Describes what needs a server: skipped aloud where there is none, but on CI it must be there. */
export async function describeWith(
  server: keyof typeof SERVERS,
  name: string,
  body: () => void,
): Promise<void> {
  const place = SERVERS[server];
  const missing = !process.env.CI && !(await answers(place));
  if (missing) console.warn(`no ${server} at ${place.host}:${place.port}: "${name}" is skipped`);
  describe.skipIf(missing)(name, () => {
    body();
  });
}
