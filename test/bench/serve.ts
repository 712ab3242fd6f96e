// A server for the loopback: node serve.ts <keyhook | core | h3>.
import { H3, serve } from "h3";

const kind = process.argv[2];
const { default: answer } = await import(`./apps/${kind}.ts`);
const app = kind === "h3" ? { fetch: answer } : new H3().all("/auth/**", ({ req }) => answer(req));
const server = serve(app as H3, { port: 0, hostname: "127.0.0.1", silent: true });
await server.ready();
process.send?.(new URL(server.url ?? "").port);
