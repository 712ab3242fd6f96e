import { readFile } from "node:fs/promises";
import { stripVTControlCharacters } from "node:util";
import { type CommandDef, defineCommand, renderUsage, runMain } from "citty";
import { trimEnd } from "../platform/trim-end.ts";
import { print } from "./command.ts";
import { doctorCommand } from "./doctor.ts";
import { inspectCommand } from "./inspect.ts";
import { providerCommand } from "./provider.ts";
import { secretCommand } from "./secret.ts";

async function readVersion(): Promise<string> {
  const text = await readFile(new URL(import.meta.resolve("keyhook/package.json")), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

const main: CommandDef = defineCommand({
  meta: async () => ({
    name: "keyhook",
    version: await readVersion(),
    description: "Tools for applications that use Keyhook.",
  }),
  subCommands: {
    secret: secretCommand,
    provider: providerCommand,
    inspect: inspectCommand,
    doctor: doctorCommand,
  },
});

/** Runs the command line and ends the process, since an application may keep connections open. */
export async function runCli(args: readonly string[]): Promise<void> {
  await runMain(main, {
    rawArgs: [...args],
    showUsage: async (command, parent) => {
      const usage = stripVTControlCharacters(await renderUsage(command, parent));
      print(
        usage
          .split("\n")
          .map((line) => trimEnd(line, " "))
          .join("\n"),
      );
    },
  });
  // Exits only after the output was written.
  process.stdout.write("", () => process.exit());
}
