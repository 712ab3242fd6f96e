import { keyhookNitro } from "keyhook/nitro";
import { defineConfig } from "nitro";

const { STORE, STORE_PLACE: place, REDIS_PORT } = process.env;

const routeRules = {
  "/locked/**": { auth: true },
  "/locked/open": { auth: false },
  "/cached": { swr: 60 },
  "/auth/**": { headers: { "cache-control": "public, s-maxage=600" } },
};

const redis = { driver: "redis", host: "127.0.0.1", port: Number(REDIS_PORT), base: place };

/** The stores of the tests, by name. */
const stores = {
  none: {},
  redis: { storage: "auth" },
  kv: { storage: "kv" },
  sqlite: { database: "auth", cleanup: "* * * * * *" },
  d1: { database: "d1" },
};

const isStored = (name: string | undefined): name is keyof typeof stores =>
  name !== undefined && name in stores;

export default defineConfig({
  compatibilityDate: "2026-01-01",
  serverDir: ".",
  modules: [
    isStored(STORE) ? keyhookNitro({ config: "stored.ts", ...stores[STORE] }) : "keyhook/nitro",
  ],
  routeRules,
  ...(STORE === "redis" && { storage: { auth: redis }, experimental: { tasks: true } }),
  ...(STORE === "kv" && { storage: { kv: { driver: "cloudflare-kv-binding", binding: "KV" } } }),
  ...(STORE === "sqlite" && {
    database: { auth: { connector: "node-sqlite", options: { path: place } } },
  }),
  ...(STORE === "d1" && {
    database: { d1: { connector: "cloudflare-d1", options: { bindingName: "DB" } } },
  }),
});
