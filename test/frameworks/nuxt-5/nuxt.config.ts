export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  telemetry: false,
  srcDir: "../nuxt-4/app",
  modules: ["keyhook/nuxt"],
  routeRules: {
    "/locked/**": { auth: true },
    "/api/private/**": { auth: true },
    "/open": { headers: { "cache-control": "public, max-age=60" } },
    "/asks": { headers: { "cache-control": "public, max-age=60" } },
    "/cached": { swr: 60 },
    "/static": { prerender: true },
    "/spa": { ssr: false },
  },
});
