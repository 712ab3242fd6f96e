import { getBuiltin, randomBase64url } from "../../src/_kit.ts";

const SECRET_BYTES = 32;

/**
 * Returns the secret of an application's development servers, which is stored in `.data/keyhook/secret` of its folder
 * so that sessions outlive reloads and restarts. Git ignores the folder, and production never reads it. Returns
 * `undefined` without a writable file system, as on edge runtimes, whose bundlers refuse the import.
 */
export function readDevelopmentSecret(folder: string): string | undefined {
  const { mkdirSync, readFileSync, writeFileSync } = getBuiltin("node:fs") ?? {};
  if (!mkdirSync || !readFileSync || !writeFileSync) return undefined;
  const data = `${folder}/.data/keyhook`;
  const file = `${data}/secret`;
  const read = () => readFileSync(file, "utf8").trim();
  try {
    return read();
  } catch {
    // There is no secret yet.
  }
  try {
    mkdirSync(data, { recursive: true });
    writeFileSync(`${data}/.gitignore`, "*\n");
    writeFileSync(file, `${randomBase64url(SECRET_BYTES)}\n`, { flag: "wx", mode: 0o600 });
  } catch {
    // Another server may have been faster.
  }
  try {
    return read();
  } catch {
    return undefined;
  }
}
