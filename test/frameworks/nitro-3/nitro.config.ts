import { defineConfig } from "nitro";

const routeRules = {
  "/locked/**": { auth: true },
  "/locked/open": { auth: false },
  "/cached": { swr: 60 },
};

export default defineConfig({
  compatibilityDate: "2026-01-01",
  serverDir: ".",
  modules: ["keyhook/nitro"],
  routeRules,
});
