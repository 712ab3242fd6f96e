import type { AuthContext, Kernel, Login } from "../../src/kernel.ts";

/**
 * Calls `keep` at each sign-in with the user id in the session. The `jwt` callback may replace the id of the login
 * unless sessions are stored. Data that is kept under the other id would not be found again.
 */
export function keepForUser(
  kernel: Kernel,
  name: string,
  keep: (ctx: AuthContext, login: Login, userId: string) => Promise<void>,
): void {
  const logins = new WeakMap<AuthContext, Login>();
  // Last, because a sign-in that another tap pauses is not complete.
  kernel.hooks.login.tap({ name, stage: "last" }, async (login, ctx) => {
    logins.set(ctx, login);
    await keep(ctx, login, String(login.user.id));
  });
  kernel.hooks.jwt.tap({ name, stage: "last" }, ({ sub }, { account }, ctx) => {
    const login = account && logins.get(ctx);
    if (!login || !sub || sub === String(login.user.id) || kernel.strategy.endsWithin) {
      return undefined;
    }
    return keep(ctx, login, sub).then(() => undefined);
  });
}
