import type { NextConfig } from "next";

export default {
  // Like an application that lets caches store every response, but only for requests that ask for it.
  headers: async () => [
    {
      source: "/:path*",
      has: [{ type: "header", key: "x-stored" }],
      headers: [{ key: "Cache-Control", value: "public, s-maxage=600" }],
    },
  ],
} satisfies NextConfig;
