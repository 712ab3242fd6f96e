import { definePlugin, type Plugin, type User } from "../presets/index.ts";

/** One line of the log. */
export interface AuditEntry {
  at: Date;
  who: string;
  what: string;
}

/** Notes who came, who left, and what failed. */
export function auditLog(write: (entry: AuditEntry) => void): Plugin {
  const note = (who: Pick<User, "name" | "email"> | null | undefined, what: string) =>
    write({ at: new Date(), who: who?.name ?? who?.email ?? "somebody", what });

  return definePlugin({
    name: "audit-log",
    setup({ hooks, events }) {
      // Events announce what happened; nobody can stop it any more.
      events.hook("signIn", ({ user, account }) =>
        note(user, `signed in with ${account?.provider}`),
      );
      events.hook("signOut", (ended) =>
        note("token" in ended ? ended.token : undefined, "signed out"),
      );
      // Hooks decide. This tap only looks: answering nothing means "no opinion".
      hooks.error.tap({ name: "audit-log", stage: "first" }, (error, ctx) => {
        note(undefined, `was stopped at ${ctx.url.pathname}: ${error.name}`);
      });
    },
  });
}
