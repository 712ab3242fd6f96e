import { connect } from "node:net";
import { describe } from "vitest";

/** The servers that some of the stores' tests need, where they are looked for. */
export const SERVERS = {
  redis: { host: "127.0.0.1", port: Number(process.env.REDIS_PORT ?? 6379) },
  postgres: { host: "127.0.0.1", port: Number(process.env.PGPORT ?? 5432) },
  mysql: { host: "127.0.0.1", port: Number(process.env.MYSQL_PORT ?? 3306) },
} as const;

export const POSTGRES = {
  ...SERVERS.postgres,
  user: process.env.PGUSER ?? "postgres",
  database: process.env.PGDATABASE ?? "test",
};

export const MYSQL = {
  ...SERVERS.mysql,
  user: process.env.MYSQL_USER ?? "root",
  password: process.env.MYSQL_PASSWORD ?? "",
  database: process.env.MYSQL_DATABASE ?? "test",
};

function answers({ host, port }: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 });
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

/** Describes what needs a server: skipped aloud where there is none, but on CI it must be there. */
export async function describeWith(
  server: keyof typeof SERVERS,
  name: string,
  body: () => void,
): Promise<void> {
  const place = SERVERS[server];
  if (process.env.CI || (await answers(place))) {
    describe(name, body);
    return;
  }
  console.warn(`no ${server} at ${place.host}:${place.port}: "${name}" is skipped`);
  describe.skip(name, body);
}
