import { readFile, writeFile } from "node:fs/promises";
import type { CommandDef } from "citty";
import { randomBase64url } from "../crypto/crypto.ts";
import { define, print } from "./command.ts";

const BYTES = 32;
const LINE = /^([ \t]*(?:export[ \t]+)?AUTH_SECRET[ \t]*=)(.*)$/gm;

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`${file} could not be read: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Returns the text of a file of variables with the secret in it. With `force`, an existing secret is replaced.
 * @throws Error when a secret is set, without `force`.
 */
export function setSecret(
  text: string,
  secret: string,
  { file, force }: { file: string; force: boolean },
): string {
  const found = [...text.matchAll(LINE)];
  const isSet = found.some(([, , value = ""]) => /[^\s"'#]/.test(value.replace(/\s#.*$/, "")));
  if (isSet && !force) {
    throw new Error(
      `${file} already has an AUTH_SECRET. Replacing it signs out all users. Use --force to replace it. ` +
        "To rotate it instead, add a new one as AUTH_SECRET_1.",
    );
  }
  if (found.length) return text.replace(LINE, (_, start: string) => start + secret);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : end;
  return `${text}${gap}AUTH_SECRET=${secret}${end}`;
}

/** `keyhook secret` */
export const secretCommand: CommandDef = define({
  meta: {
    name: "secret",
    description: "Prints a new secret, or writes it to a file of environment variables.",
  },
  args: {
    file: {
      type: "positional",
      required: false,
      description: "File for --write. Default: .env",
    },
    write: { type: "boolean", description: "Write the secret to the file instead of printing it." },
    force: { type: "boolean", description: "Replace the secret in the file." },
  },
  async run({ file: given, write, force }) {
    const secret = randomBase64url(BYTES);
    if (!write) {
      if (given !== undefined || force) throw new Error("Add --write to write to a file.");
      print(`AUTH_SECRET=${secret}`);
      return;
    }
    const file = given ?? ".env";
    const text = await readIfExists(file);
    const changed = setSecret(text ?? "", secret, { file, force: force ?? false });
    // Only its owner may read a new file. The mode of an existing file is kept.
    await writeFile(file, changed, { mode: 0o600 }).catch((error: Error) => {
      throw new Error(`${file} could not be written: ${error.message}`, { cause: error });
    });
    print(`AUTH_SECRET was written to ${file}.`);
  },
});
