import { config } from "common";
import { createAuth } from "keyhook";

const pages = "https://app.example.com";

export const auth = createAuth({
  ...config,
  callbacks: {
    redirect({ url, baseUrl }) {
      const target = new URL(url, baseUrl);
      return [baseUrl, pages].includes(target.origin) ? target.href : baseUrl;
    },
  },
});
