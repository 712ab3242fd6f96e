import { describe, expect, it } from "vitest";
import { compile } from "./_compile.ts";

const COUNT = 50;
/** For all plugins together; measured: 654. */
const MAX_INSTANTIATIONS = 1000;

/** A plugin that adds a field of the user, a claim and an event, and uses them. */
const toPlugin = (at: number) => `
import { definePlugin, type Plugin } from "../../presets/index.ts";

declare module "../../src/types.ts" {
  interface User { field${at}?: { role: "reader" | "writer"; since: Date } }
  interface JWT { claim${at}?: { role: "reader" | "writer" } }
  interface EventMessages { happened${at}: { user: User; field: number } }
}

export function plugin${at}(options: { limit?: number } = {}): Plugin {
  return definePlugin({
    name: "scale/${at}",
    setup(kernel) {
      kernel.events.hook("happened${at}", ({ user, field }) => void [user.field${at}?.role, field]);
      kernel.hooks.jwt.tap("scale/${at}", (token, { user }) => {
        if (user?.field${at}) token.claim${at} = { role: user.field${at}.role };
        return token;
      });
      kernel.hooks.signIn.tap("scale/${at}", ({ user }) => {
        void kernel.emit("happened${at}", { user, field: options.limit ?? 1 });
        return user.field${at}?.role !== "reader";
      });
    },
  });
}
`;

function build(count: number): Record<string, string> {
  const numbers = Array.from({ length: count }, (_, at) => at);
  const imports = numbers.map((at) => `import { plugin${at} } from "./virtual-plugin-${at}.ts";`);
  const uses = numbers.map((at) => `.use(plugin${at}({ limit: ${at} }))`);
  const app = `import { createAuth } from "../../presets/index.ts";\n${imports.join("\n")}
    export const auth = createAuth({ callbacks: { jwt: ({ token }) => token } })${uses.join("")};
    export const session = await auth.getSession(new Request("http://localhost/"));`;
  return Object.fromEntries([...numbers.map((at) => [`plugin-${at}`, toPlugin(at)]), ["app", app]]);
}

describe("types of many plugins", () => {
  it(
    `${COUNT} plugins that augment the types need fewer than ${MAX_INSTANTIATIONS} instantiations`,
    { timeout: 120_000 },
    () => {
      const none = compile(build(0));
      const many = compile(build(COUNT));
      expect([...none.errors, ...many.errors]).toEqual([]);
      expect(many.instantiations - none.instantiations).toBeLessThan(MAX_INSTANTIATIONS);
    },
  );
});
