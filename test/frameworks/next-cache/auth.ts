import { config } from "common";
import { createAuth } from "keyhook/next";

export const { handlers, auth, signIn } = createAuth(async (request) => ({
  ...config,
  theme: { brandColor: request?.nextUrl.pathname.startsWith("/admin") ? "#008000" : "#800000" },
}));
