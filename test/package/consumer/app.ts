import { createAuth } from "keyhook";
import type { Adapter } from "keyhook/adapters";
import { AuthError } from "keyhook/errors";
import { decode, encode, getToken } from "keyhook/jwt";
import { createAuthWith, definePlugin } from "keyhook/kernel";
import github, { githubPlugin } from "keyhook/providers/github";
import type { Session, User } from "keyhook/types";

declare module "keyhook/types" {
  interface User {
    role?: string;
  }
  interface Session {
    tenant?: string;
  }
}

const secret = "a secret for this test alone, 32 characters and more";

const greeter = definePlugin({
  name: "greeter",
  setup(kernel) {
    kernel.hooks.session.tap("greeter", (session) => ({ ...session, tenant: "acme" }));
  },
});

const adapter: Adapter | undefined = undefined;

const auth = createAuth({
  secret,
  trustHost: true,
  basePath: "/auth",
  ...(adapter ? { adapter } : {}),
  providers: [
    {
      id: "credentials",
      name: "Credentials",
      type: "credentials",
      credentials: { username: { label: "User" } },
      authorize: (fields): User | null =>
        fields.username === "ada" ? { id: "1", name: "Ada", role: "admin" } : null,
    },
  ],
})
  .use(githubPlugin({ clientId: "id", clientSecret: "secret" }))
  .use(greeter);

/** Reads the application's own fields from the session. */
export async function getTenant(request: Request): Promise<string | undefined> {
  const session = await auth.getSession(request);
  const same: Session | null = session;
  const role: string | undefined = same?.user?.role;
  return session?.tenant ?? role;
}

// @ts-expect-error an undeclared name stays unknown
export type Unknown = Session["nowhere"];

const session = await auth.fetch(new Request("https://app.example/auth/session"));
const token = await encode({ token: { sub: "1" }, secret, salt: "test" });
const read = await decode({ token, secret, salt: "test" });
const providers = await auth.fetch(new Request("https://app.example/auth/providers"));

console.log(
  JSON.stringify({
    session: await session.json(),
    providers: Object.keys((await providers.json()) as object),
    sub: read?.sub,
    same: github === githubPlugin,
    kernel: typeof createAuthWith,
    getToken: typeof getToken,
    error: new AuthError("x") instanceof Error,
  }),
);
