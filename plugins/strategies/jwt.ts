import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { createTokenStrategy } from "./_jwt/strategy.ts";

/** Returns the plugin for sessions in an encrypted cookie. Nothing is stored on the server. */
export const jwtStrategy: () => Plugin = definePlugin(function jwtStrategy(): Plugin {
  return {
    name: "strategies/jwt",
    provides: ["strategy:jwt"],
    setup(kernel) {
      kernel.addStrategy("jwt", createTokenStrategy(kernel));
    },
  };
});
