// A server in a separate process: node serve.ts <name of a server>
import { servers, type ServerName } from "./servers.ts";

const listening = await servers[process.argv[2] as ServerName]();
process.once("SIGINT", () => process.exit());
process.send?.(listening);
