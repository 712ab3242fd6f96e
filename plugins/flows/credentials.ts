export type * from "./credentials/provider.ts";
import { randomUUID, toJsonRequest } from "../../src/_kit.ts";
import { CredentialsSignin, MissingAuthorize } from "../../src/errors.ts";
import {
  definePlugin,
  type Field,
  type FlowContext,
  type Identity,
  type Plugin,
} from "../../src/kernel.ts";
import { addErrors } from "./credentials/errors.ts";
import type { CredentialsProvider } from "./credentials/provider.ts";

type Context = FlowContext<CredentialsProvider>;

async function finish(ctx: Context): Promise<Identity> {
  const { provider } = ctx;
  const fields = await ctx.body();
  const user = await provider.authorize(fields, toJsonRequest(ctx, fields));
  if (!user) throw new CredentialsSignin("`authorize` returned null.");
  // `true` is not a user: it would start a session without an identity.
  if (typeof user !== "object" || Array.isArray(user)) {
    throw new TypeError("`authorize` must return a user object or null.");
  }
  const id = String(user.id ?? randomUUID());
  return {
    user: user.id === id ? user : { ...user, id },
    account: { providerAccountId: id },
    credentials: fields,
  };
}

const TEXT_TYPES = ["text", "email", "tel", "url", "search", "number"];
const SECRET_NAME =
  /(?:password|passphrase|passcode|passwd|pwd|secret|token|otp)$|^(?:pass|pin|code)$/i;

// `authorize` may take a list for the text in it. All objects count as one account.
function toText(value: unknown): string {
  return [value]
    .flat(Infinity)
    .filter((one) => typeof one !== "object")
    .join();
}

// The first field of text that is not a password.
async function identify(ctx: Context): Promise<string | undefined> {
  const field = Object.entries(ctx.provider.credentials).find(
    ([name, { type = "text" }]) => TEXT_TYPES.includes(type) && !SECRET_NAME.test(name),
  );
  return field && toText((await ctx.body())[field[0]]);
}

function toFields(provider: CredentialsProvider): Field[] {
  return Object.entries(provider.credentials).map(([name, input]) => {
    const { label = name, type = "text", value, ...attributes } = input;
    return { name, label, type, attributes, ...(value !== undefined && { value }) };
  });
}

/**
 * Returns the plugin for sign-in by credentials that the application's `authorize` verifies, such
 * as a name and a password.
 */
export function credentialsFlow(): Plugin {
  return definePlugin({
    name: "flows/credentials",
    provides: ["flow:credentials"],
    setup(kernel) {
      addErrors(kernel);
      kernel.addFlow("credentials", {
        links: "none",
        direct: true,
        methods: ["POST"],
        resolve(provider) {
          if (typeof provider.authorize !== "function") {
            throw new MissingAuthorize(
              `The provider "${provider.id}" has no \`authorize\`. Set it to a function that returns the user or null.`,
            );
          }
          return { ...provider, credentials: provider.credentials ?? {} };
        },
        finish,
        identify,
        form(provider, _, { t }) {
          const fields = toFields(provider);
          if (!fields.length) return undefined;
          return {
            kind: "form",
            provider: provider.id,
            form: {
              action: provider.callbackUrl,
              fields,
              submit: t("signin.with", { name: provider.name }),
            },
          };
        },
      });
    },
  });
}
