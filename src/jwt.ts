export * from "./jwt/jwt.ts";
