import {
  type CredentialsProvider,
  CredentialsSignin,
  definePlugin,
  type Field,
  type FlowContext,
  type Identity,
  MissingAuthorize,
  type Plugin,
  randomUUID,
} from "../../src/index.ts";

type Context = FlowContext<CredentialsProvider>;

// The request as `authorize` may want to look at it; its body can be read once more.
function requestOf(ctx: Context, fields: Record<string, unknown>): Request {
  const headers = new Headers(ctx.request.headers);
  headers.delete("content-length");
  headers.set("content-type", "application/json");
  return new Request(ctx.url, { method: "POST", headers, body: JSON.stringify(fields) });
}

async function finish(ctx: Context): Promise<Identity> {
  const { provider } = ctx;
  const fields = await ctx.body();
  const user = await provider.authorize(fields, requestOf(ctx, fields));
  if (!user) throw new CredentialsSignin("`authorize` answered null.");
  // `true` is nobody: whoever answers that would let somebody in without a name.
  if (typeof user !== "object" || Array.isArray(user)) {
    throw new TypeError("`authorize` must answer a user or null.");
  }
  const id = String(user.id ?? randomUUID());
  return {
    user: user.id === id ? user : { ...user, id },
    account: { provider: provider.id, providerAccountId: id, type: "credentials" },
    credentials: fields,
  };
}

function fieldsOf(provider: CredentialsProvider): Field[] {
  return Object.entries(provider.credentials).map(([name, input]) => {
    const { label = name, type = "text", value, ...attributes } = input;
    return { name, label, type, attributes, ...(value !== undefined && { value }) };
  });
}

/** Sign-in by whatever the application's `authorize` accepts. */
export function credentialsFlow(): Plugin {
  return definePlugin({
    name: "flows/credentials",
    provides: ["flow:credentials"],
    setup(kernel) {
      kernel.addFlow("credentials", {
        links: "none",
        direct: true,
        methods: ["POST"],
        resolve(provider) {
          if (typeof provider.authorize !== "function") {
            throw new MissingAuthorize(
              `The provider "${provider.id}" has no \`authorize\`. Give it one that answers the user or null.`,
            );
          }
          return { ...provider, credentials: provider.credentials ?? {} };
        },
        finish,
        form(provider, _, { say }) {
          const fields = fieldsOf(provider);
          if (!fields.length) return undefined;
          return {
            kind: "form",
            provider: provider.id,
            form: {
              action: provider.callbackUrl,
              fields,
              submit: say("signin.with", { name: provider.name }),
            },
          };
        },
      });
    },
  });
}

export default credentialsFlow;
