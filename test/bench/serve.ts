// A server on the loopback interface: node serve.ts <keyhook | core | h3> [fast].
import { H3, serve } from "h3";
import { FastResponse } from "srvx";

const [kind, isFast] = process.argv.slice(2);
// srvx, the server under h3, has a Response that reaches the socket without a stream.
if (isFast) globalThis.Response = FastResponse as typeof Response;
const { default: answer } = await import(`./apps/${kind}.ts`);
const app = kind === "h3" ? { fetch: answer } : new H3().all("/auth/**", ({ req }) => answer(req));
const server = serve(app as H3, { port: 0, hostname: "127.0.0.1", silent: true });
await server.ready();
process.once("SIGINT", () => process.exit());
process.send?.(new URL(server.url ?? "").port);
