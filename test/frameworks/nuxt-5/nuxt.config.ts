// The folder of a build with another preset, next to the first one.
const { OUTPUT_DIR: dir, D1_BINDING: bindingName, AUTH_CONFIG: config } = process.env;
const { REDIS_PORT, STORE_PLACE: base } = process.env;
const data = REDIS_PORT
  ? { driver: "redis", host: "127.0.0.1", port: Number(REDIS_PORT), base }
  : { driver: "fs-lite", base: ".data/records" };

export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  telemetry: false,
  // The development server runs next to the build.
  buildDir: process.env.BUILD_DIR || ".nuxt",
  devtools: { disableAuthorization: true },
  srcDir: "../nuxt-4/app",
  // The module, its configuration and a guarded path come from layers.
  extends: ["./base/module", "./base/auth", "./base/replaced"],
  auth: {
    cleanup: "0 3 * * *",
    ...(bindingName ? { database: "default" } : { storage: "data" }),
    ...(config && { config }),
  },
  nitro: {
    ...(!bindingName && { storage: { data } }),
    ...(bindingName && {
      database: { default: { connector: "cloudflare-d1", options: { bindingName } } },
    }),
    ...(dir && { output: { dir } }),
  },
  routeRules: {
    "/api/private/**": { auth: true },
    "/open": { headers: { "cache-control": "public, max-age=60" } },
    "/asks": { headers: { "cache-control": "public, max-age=60" } },
    "/fetches": { headers: { "cache-control": "public, max-age=60" } },
    "/news": { headers: { "cache-control": "public, max-age=60" } },
    "/cached": { swr: 60 },
    "/login/cached": { swr: 60 },
    "/static": { prerender: true },
    "/fetches/static": { prerender: true },
    "/spa": { ssr: false },
    "/waits/spa": { ssr: false },
    "/isr": { isr: 60 },
    "/auth/**": { headers: { "cache-control": "public, s-maxage=600" } },
  },
});
