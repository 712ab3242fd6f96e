import { definePlugin, type Plugin } from "../presets/index.ts";
import type { ActivityEntry } from "./activity-log.ts";

/** Records the exchanges between the application and its identity provider after a sign-in. */
export const tokenLog = definePlugin((write: (entry: ActivityEntry) => void): Plugin => {
  const note = (who: string, what: string) => write({ at: new Date(), who, what });

  return {
    name: "token-log",
    setup({ events }) {
      events.hook("tokensRefreshed", ({ provider }) => note(provider, "gave new tokens"));
      events.hook("refreshTokenRejected", ({ provider }) => note(provider, "refused a token"));
      events.hook("providerLogout", ({ provider }) => note(provider, "ended a session"));
    },
  };
});
