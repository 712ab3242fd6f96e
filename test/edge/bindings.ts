import { createAuth } from "keyhook";
import { githubPlugin } from "keyhook/providers/github";

// The cost of a Worker's first access.
const looks: string[] = [];
const scope = globalThis as { process?: unknown };
if ("process" in scope) {
  const made = Object.getOwnPropertyDescriptor(scope, "process");
  Object.defineProperty(scope, "process", {
    get() {
      looks.push("process");
      return made?.get ? made.get.call(scope) : made?.value;
    },
  });
}

const auth = createAuth().use(githubPlugin());

export default {
  async fetch(request: Request): Promise<Response> {
    const response = await auth.fetch(request);
    const headers = new Headers(response.headers);
    headers.set("x-looks", looks.join(" "));
    return new Response(response.body, { status: response.status, headers });
  },
};
