import { createAuth, type Auth } from "keyhook";
import { githubPlugin } from "keyhook/providers/github";

let kept: Auth | undefined;

/** The Auth is created by a request: the first one, or each. */
export default {
  async fetch(request: Request): Promise<Response> {
    const isEach = request.headers.has("x-each");
    const auth = isEach
      ? createAuth().use(githubPlugin())
      : (kept ??= createAuth().use(githubPlugin()));
    // A server function may also come first.
    if (request.headers.has("x-read")) return Response.json(await auth.getSession(request));
    if (request.headers.has("x-sweep")) {
      // There is no store, and so nothing to remove.
      await auth.sweep();
      return Response.json(null);
    }
    return auth.fetch(request);
  },
};
