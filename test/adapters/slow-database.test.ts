import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { postgresStore } from "../../plugins/stores/postgres.ts";
import { standardPreset } from "../../presets/index.ts";
import { createTestAuth } from "../_app.ts";
import { describeWith, POSTGRES } from "../stores/_servers.ts";

/** Longer than the default limit of a call. */
const WAKES_MS = 3000;

/** Starts a proxy in front of PostgreSQL that forwards nothing while it wakes, as a serverless database does. */
async function startSleeper() {
  const sockets = new Set<Socket>();
  const asleep = { since: 0 };
  const server = createServer((client) => {
    const upstream = connect(POSTGRES.port, POSTGRES.host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => [client, upstream].forEach((one) => one.destroy()));
    }
    upstream.pipe(client);
    client.on("data", (chunk) => {
      const wait = asleep.since + WAKES_MS - Date.now();
      setTimeout(() => upstream.write(chunk), Math.max(0, wait));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    sleep: () => void (asleep.since = Date.now()),
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

await describeWith("postgres", "a PostgreSQL that wakes for longer than two seconds", () => {
  const table = `slow_${process.pid}`;
  const stops: (() => unknown)[] = [];
  afterAll(async () => {
    for (const stop of stops) await stop();
    const admin = new pg.Client(POSTGRES);
    await admin.connect();
    await admin.query(`DROP TABLE IF EXISTS ${table}`);
    await admin.end();
  });

  it.each([
    [8, "signs the user in and reads the session", 200],
    [undefined, "responds with 503 and keeps the cookie", 503],
  ])(
    "with `storageTimeout` of %s it %s",
    async (storageTimeout, _, status) => {
      const sleeper = await startSleeper();
      const pool = new pg.Pool({ ...POSTGRES, port: sleeper.port, max: 4 });
      pool.on("error", () => {});
      stops.push(sleeper.stop, () => pool.end());
      const app = createTestAuth({
        preset: standardPreset,
        errors: "allowed",
        strategy: "database",
        mail: {},
        ...(storageTimeout && { storageTimeout }),
        use: [postgresStore(pool, { table }), storeAdapter()],
      });
      const email = `ada-${status}@example.com`;
      if (storageTimeout) sleeper.sleep();
      await app.requestLink(email);
      await app.followLink();
      const user = { user: { email } };
      expect(await app.browser.session()).toMatchObject(user);
      sleeper.sleep();
      const response = await app.browser.get("/auth/session");
      expect(response.status).toBe(status);
      await new Promise((done) => setTimeout(done, WAKES_MS));
      expect(await app.browser.session()).toMatchObject(user);
    },
    30_000,
  );
});
