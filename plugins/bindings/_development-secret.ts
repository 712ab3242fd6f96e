import { randomBase64url } from "../../src/_kit.ts";

const SECRET_BYTES = 32;

/**
 * Resolves to the secret of an application's development servers, in `.data/keyhook/secret` of its folder: sessions
 * outlive reloads and restarts. Git ignores the folder. Production never reads it.
 */
export async function readDevelopmentSecret(folder: string): Promise<string> {
  const { mkdir, readFile, writeFile } = await import("node:fs/promises");
  const data = `${folder}/.data/keyhook`;
  const file = `${data}/secret`;
  const read = async () => (await readFile(file, "utf8")).trim();
  try {
    return await read();
  } catch {
    await mkdir(data, { recursive: true });
    await writeFile(`${data}/.gitignore`, "*\n");
    // Another server may have been faster.
    const text = `${randomBase64url(SECRET_BYTES)}\n`;
    await writeFile(file, text, { flag: "wx", mode: 0o600 }).catch(() => {});
    return read();
  }
}
