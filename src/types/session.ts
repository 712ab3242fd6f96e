import type { AdapterUser } from "./adapter.ts";
import type { JWT, Session } from "./models.ts";

/** Who is signed in, as `ctx.session()` resolves to it. */
export interface CurrentSession {
  /**
   * Id of the user, under every strategy and flow: `sub` of the token, or the id of the stored user.
   * @throws MissingUserId when the session has none: a tap of `jwt` removed `sub`, or the flow returned a user
   * without an id.
   */
  readonly id: string;
  /** The session as the client receives it. */
  readonly session: Session;
  /** The stored user, if the strategy reads it (`database`). */
  readonly user?: AdapterUser;
  /** The claims of the token, if the cookie contains one (`jwt` and `hybrid`). */
  readonly token?: JWT;
}
