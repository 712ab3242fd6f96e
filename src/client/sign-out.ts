import { post } from "./post.ts";
import type { Connection } from "./session.ts";
import type { SignOutOptions, SignOutResult } from "./types.ts";

/** Signs out without navigating, and notifies the other tabs. */
export function attemptSignOut(wire: Connection, options: SignOutOptions): Promise<SignOutResult> {
  return post(wire, options, {
    path: "/signout",
    // If this page is being left, its own listeners are not called, since it would only flicker.
    done: (here) => wire.publish({ at: Date.now(), session: null }, here),
  });
}
