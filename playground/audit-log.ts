import { definePlugin, type Plugin } from "../presets/index.ts";

/** One line of the log. */
export interface AuditEntry {
  at: Date;
  who: string;
  what: string;
}

/** Notes who came, who left, and what failed. */
export function auditLog(write: (entry: AuditEntry) => void): Plugin {
  const note = (who: string | null | undefined, what: string) =>
    write({ at: new Date(), who: who ?? "somebody", what });

  return definePlugin({
    name: "audit-log",
    setup({ hooks, events }) {
      // Events announce what happened; nobody can stop it any more.
      events.hook("signIn", ({ user, account }) =>
        note(user.name, `signed in with ${account?.provider}`),
      );
      events.hook("signOut", (ended) =>
        note("token" in ended ? ended.token?.name : undefined, "signed out"),
      );
      // Hooks decide. This tap only looks: answering nothing means "no opinion".
      hooks.error.tap({ name: "audit-log", stage: "first" }, (error, ctx) => {
        note(undefined, `was stopped at ${ctx.url.pathname}: ${error.name}`);
      });
    },
  });
}
