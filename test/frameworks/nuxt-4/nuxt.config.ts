const isBuild = process.env.NODE_ENV === "production";
// The folder of a build with another preset, next to the first one.
const { OUTPUT_DIR: dir, REDIS_PORT, STORE_PLACE: base, AUTH_CONFIG: config } = process.env;
const data = REDIS_PORT
  ? { driver: "redis", host: "127.0.0.1", port: Number(REDIS_PORT), base }
  : { driver: "fs-lite", base: ".data/records" };

export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  telemetry: false,
  // The development server runs next to the build.
  buildDir: process.env.BUILD_DIR || ".nuxt",
  devtools: { disableAuthorization: true },
  // The frames of DevTools have styles that a strict policy blocks.
  modules: ["keyhook/nuxt", ...(isBuild ? ["nuxt-security"] : [])],
  // With nuxt-security, a cached page has no separate payload.
  experimental: { payloadExtraction: false },
  // Scripts and styles need the nonce of their page. The tests send many requests without a
  // browser.
  security: {
    rateLimiter: false,
    headers: {
      contentSecurityPolicy: {
        "script-src": ["'strict-dynamic'", "'nonce-{{nonce}}'"],
        "style-src": ["'self'", "'nonce-{{nonce}}'"],
        "form-action": ["'self'", "http://127.0.0.1:*"],
        "upgrade-insecure-requests": false,
      },
    },
  },
  auth: { storage: "data", cleanup: "0 3 * * *", ...(config && { config }) },
  nitro: { storage: { data }, ...(dir && { output: { dir } }) },
  routeRules: {
    "/locked/**": { auth: true },
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
