import { serve } from "srvx";
import { staticMiddleware } from "srvx/static";
import server from "./dist/server/server.js";

serve({
  fetch: server.fetch,
  middleware: [staticMiddleware({ dir: "dist/client" })],
  port: Number(process.env.PORT),
  hostname: process.env.HOST,
});
