import Fastify, { type FastifyInstance, type FastifyPluginAsync } from "fastify";
import type { Served } from "./_serve.ts";
import { toAppBody } from "./_suite.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Serves a Fastify application with a plugin, and with a final handler for every other path. */
export async function serveFastify(
  plugin: FastifyPluginAsync,
  build: (app: FastifyInstance) => Promise<void> = async () => {},
): Promise<Served> {
  const app = Fastify({ forceCloseConnections: true });
  await app.register(plugin);
  await build(app);
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  app.route({
    method: METHODS,
    url: "/*",
    handler: async ({ method, body }, reply) => {
      const text = typeof body === "string" ? body : "";
      return reply.type("text/plain").send(toAppBody(method, text));
    },
  });
  const origin = await app.listen({ port: 0, host: "127.0.0.1" });
  return {
    origin,
    port: Number(new URL(origin).port),
    fetch: (request) => fetch(request),
    close: () => app.close(),
  };
}
