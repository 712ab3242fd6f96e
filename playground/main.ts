import { readDevelopmentSecret } from "../plugins/bindings/_development-secret.ts";
import { PASSWORD, people } from "./people.ts";
import { type Playground, startPlayground } from "./start.ts";

const wanted = Number(process.env.PORT || 3000);

function greet({ origin, issuer, port }: Playground): void {
  const names = people.map(({ username, note }) => `${username}${note ? ` (${note})` : ""}`);
  if (wanted !== 0 && port !== wanted) console.log(`\n  Port ${wanted} is taken: using ${port}.`);
  console.log(`
  Keyhook playground

  Open          ${origin}
  Users         ${names.join(", ")}
  Password      ${PASSWORD}
  Playground ID ${issuer} (the local identity provider)
  Mails         ${origin}/outbox
  Records       .data/keyhook, which can be deleted

  Nothing leaves this machine. Ctrl+C stops it.
`);
}

try {
  if (!Number.isInteger(wanted) || wanted < 0 || wanted > 65_535) {
    throw new Error(`PORT is "${process.env.PORT}"; it must be a number up to 65535.`);
  }
  // The secret is kept next to the stored data, because it seals the keys of second factors.
  const playground = await startPlayground(wanted, undefined, readDevelopmentSecret("."));
  greet(playground);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      console.log("\n  Stopped.");
      void playground.stop();
    });
  }
} catch (error) {
  console.error(`\n  The playground could not start: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
