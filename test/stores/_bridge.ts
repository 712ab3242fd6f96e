import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Redis } from "ioredis";
import { SERVERS } from "./_servers.ts";

/** Starts a server with Upstash's REST API in front of the local Redis. */
export async function startBridge(): Promise<{ url: string; stop(): Promise<void> }> {
  const redis = new Redis({ ...SERVERS.redis, lazyConnect: true });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const encode = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(encode);
        const base64 = request.headers["upstash-encoding"] === "base64";
        return base64 && typeof value === "string" && value !== "OK"
          ? Buffer.from(value).toString("base64")
          : value;
      };
      const run = async ([command, ...rest]: [string, ...string[]]) => {
        try {
          return { result: encode(await redis.call(command, ...rest.map(String))) };
        } catch (error) {
          return { error: (error as Error).message };
        }
      };
      const answer = async () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as
          | [string, ...string[]]
          | [string, ...string[]][];
        const result = request.url?.endsWith("/pipeline")
          ? await Promise.all((body as [string, ...string[]][]).map(run))
          : await run(body as [string, ...string[]]);
        response.statusCode = "error" in result ? 400 : 200;
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(result));
      };
      answer().catch((error: Error) => response.destroy(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await redis.quit();
    },
  };
}
