import { fileSink } from "../../plugins/observability/audit-log.ts";

// Runs in a separate process: writes several entries to a file that is often renamed.
const [path = "", name = "", count = "0"] = process.argv.slice(2);
const write = fileSink(path, { maxBytes: 2000 }).open({} as never);
for (let at = 0; at < Number(count); at++) {
  // oxlint-disable-next-line no-await-in-loop -- one batch after another
  await write([
    { at: new Date().toISOString(), event: "signIn", outcome: "success", who: `${name}${at}` },
  ]);
}
