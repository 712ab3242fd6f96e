import { betterAuth } from "better-auth";

const auth = betterAuth({
  secret: "bench-secret-of-more-than-32-characters",
  baseURL: "http://localhost:3000",
  basePath: "/auth",
  socialProviders: { github: { clientId: "id", clientSecret: "secret" } },
});

export default (request: Request): Promise<Response> => auth.handler(request);
