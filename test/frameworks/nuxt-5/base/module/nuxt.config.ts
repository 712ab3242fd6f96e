// A layer with the module, for applications that extend it.
export default defineNuxtConfig({
  modules: ["keyhook/nuxt"],
  routeRules: { "/locked/**": { auth: true } },
});
