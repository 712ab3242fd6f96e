import { definePlugin, type Plugin, type User } from "../presets/index.ts";

/** One line of the log. */
export interface ActivityEntry {
  at: Date;
  who: string;
  what: string;
}

/** Records sign-ins, sign-outs and failures. */
export const activityLog = definePlugin((write: (entry: ActivityEntry) => void): Plugin => {
  const note = (who: Pick<User, "name" | "email"> | null | undefined, what: string) =>
    write({ at: new Date(), who: who?.name ?? who?.email ?? "somebody", what });

  return {
    name: "activity-log",
    setup({ hooks, events }) {
      // An event reports what has happened. A listener cannot change it.
      events.hook("signIn", ({ user, account }) =>
        note(user, `signed in with ${account?.provider}`),
      );
      events.hook("signOut", (ended) =>
        note("token" in ended ? ended.token : undefined, "signed out"),
      );
      // A hook decides. This tap returns `undefined`: it records the error, and leaves the decision to other taps.
      hooks.error.tap({ name: "activity-log", stage: "first" }, (error, ctx) => {
        note(undefined, `was stopped at ${ctx.url.pathname}: ${error.name}`);
      });
    },
  };
});
