import { createAuth } from "../../presets/standard.ts";
import { ORIGIN } from "../_app.ts";
import { FACES } from "./_faces.ts";
import { testBinding, toAppBody } from "./_suite.ts";

// Next.js gets headers for its caches. SvelteKit gets routes of the application below the base
// path.
const OTHERWISE = ["keyhook/next", "keyhook/sveltekit"];

for (const [name, mount] of Object.entries(FACES)) {
  if (OTHERWISE.includes(name)) continue;
  testBinding(name, (config) => ({
    origin: ORIGIN,
    fetch: mount(
      createAuth(config),
      async (request) => new Response(toAppBody(request.method, await request.text())),
    ),
  }));
}
