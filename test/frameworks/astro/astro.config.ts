import node from "@astrojs/node";
import { defineConfig, memoryCache } from "astro/config";

export default defineConfig({
  output: "server",
  adapter: node({ mode: "standalone" }),
  devToolbar: { enabled: false },
  cache: { provider: memoryCache() },
  routeRules: {
    "/auth/[...path]": { maxAge: 60 },
    "/locked": { maxAge: 60 },
    "/open": { maxAge: 60 },
  },
});
