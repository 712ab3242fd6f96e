export type * from "./credentials/provider.ts";
import { findWord, toJsonRequest, translateLabel } from "../../src/_kit.ts";
import { CredentialsSignin, InvalidIdentity, MissingAuthorize } from "../../src/errors.ts";
import {
  type Body,
  definePlugin,
  type Field,
  type FlowContext,
  type Identity,
  type Plugin,
  type RouteLimit,
  type Translator,
  type User,
} from "../../src/kernel.ts";
import { addErrors } from "./credentials/errors.ts";
import type { CredentialsProvider } from "./credentials/provider.ts";

type Context = FlowContext<CredentialsProvider>;

// Picks the posted values of the fields that `credentials` declares, or of all fields if it declares none. Only own
// properties count, and the result has no prototype, so that no field name reaches an inherited function.
function pickFields(provider: CredentialsProvider, body: Body): Record<string, unknown> {
  const names = Object.keys(provider.credentials);
  const picked: Record<string, unknown> = Object.create(null);
  for (const name of names.length ? names : Object.keys(body)) {
    // JSON uses `null` for an absent field.
    if (Object.hasOwn(body, name)) picked[name] = body[name] ?? undefined;
  }
  return picked;
}

// JSON may contain an object that a database reads as a condition: `{ "$ne": null }`. Leaving the field out could
// remove the condition altogether, so the attempt is refused.
function toTexts({ provider, kernel }: Context, body: Body): Record<string, string> {
  const texts: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(pickFields(provider, body))) {
    if (value === undefined) continue;
    if (typeof value !== "string") {
      // The production log has no name that a visitor chose.
      const isShown = !kernel.config.production || Object.hasOwn(provider.credentials, name);
      const field = isShown ? `The field ${JSON.stringify(name.slice(0, 64))}` : "A field";
      throw new CredentialsSignin(
        `${field} of the provider "${provider.id}" is not a string. Send a string.`,
      );
    }
    texts[name] = value;
  }
  return texts;
}

/** Fields that clients post in addition to the provider's fields. */
const CLIENT_FIELDS = ["csrfToken", "callbackUrl", "redirectTo", "redirect", "json"];

// Auth.js passes every posted field to `authorize`, so an application that migrates from it may lack a declaration.
// Visitors choose the names, so the production log contains none of them.
async function explainLeftOut(ctx: Context): Promise<string> {
  const { provider, kernel } = ctx;
  const declared = Object.keys(provider.credentials);
  if (kernel.config.production || !declared.length) return "";
  const [name] = Object.keys(await ctx.body()).filter(
    (posted) => !declared.includes(posted) && !CLIENT_FIELDS.includes(posted),
  );
  if (name === undefined) return "";
  return ` It did not receive \`${name.slice(0, 64)}\`: add it to \`credentials\` of the provider "${provider.id}".`;
}

// Any other value would become the same text for many users: "", "[object Object]", "NaN".
function toId(provider: CredentialsProvider, id: unknown): string {
  const isId =
    typeof id === "bigint" ||
    (typeof id === "string" ? id.trim() !== "" : Number.isSafeInteger(id));
  if (isId) return String(id);
  throw new InvalidIdentity(
    `\`authorize\` of the provider "${provider.id}" returned a user without a usable \`id\`. Return the user's ` +
      "permanent id: non-empty text, a number or a bigint.",
  );
}

// An instance of a model has its fields as getters on its prototype.
function withId(user: User, id: string): User {
  return Object.create(Object.getPrototypeOf(user), {
    ...Object.getOwnPropertyDescriptors(user),
    id: { value: id, writable: true, enumerable: true, configurable: true },
  }) as User;
}

async function finish(ctx: Context): Promise<Identity> {
  const { provider } = ctx;
  const fields = toTexts(ctx, await ctx.body());
  const user = await provider.authorize(fields, toJsonRequest(ctx, fields));
  ctx.debug?.(user ? "the application returns a user" : "the application returns no user", {
    fields: Object.keys(fields).join(" "),
  });
  if (!user) {
    throw new CredentialsSignin(`\`authorize\` returned null.${await explainLeftOut(ctx)}`);
  }
  // `true` is not a user: it would start a session without an identity.
  if (typeof user !== "object" || Array.isArray(user)) {
    throw new TypeError("`authorize` must return a user object or null.");
  }
  const id = toId(provider, user.id);
  const isVerified: unknown = provider.emailVerified?.(user);
  // A promise or a date would be treated as unknown.
  if (isVerified !== undefined && typeof isVerified !== "boolean") {
    throw new TypeError("`emailVerified` must return true, false or undefined.");
  }
  return {
    user: user.id === id ? user : withId(user, id),
    ...(isVerified !== undefined && { emailVerified: isVerified }),
    account: { providerAccountId: id },
    credentials: fields,
  };
}

const TEXT_TYPES = ["text", "email", "tel", "url", "search", "number"];
const SECRET_NAME =
  /(?:password|passphrase|passcode|passwd|pwd|secret|token|otp)$|^(?:pass|pin|code)$/i;

// A list counts as its text, and all objects count as one account. Such values are refused, but still count toward the
// limit.
function toText(value: unknown): string {
  return [value]
    .flat(Infinity)
    .filter((one) => typeof one !== "object")
    .join();
}

// The first text field that is not a password.
async function identify(ctx: Context): Promise<string | undefined> {
  const field = Object.entries(ctx.provider.credentials).find(
    ([name, { type = "text" }]) => TEXT_TYPES.includes(type) && !SECRET_NAME.test(name),
  );
  return field && toText(pickFields(ctx.provider, await ctx.body())[field[0]]);
}

function toFields({ credentials }: CredentialsProvider, translator: Translator): Field[] {
  return Object.entries(credentials).map(([name, input]) => {
    const { label = findWord(name) ?? name, type = "text", value, ...attributes } = input;
    return {
      name,
      label: translateLabel(label, translator),
      type,
      attributes: attributes as NonNullable<Field["attributes"]>,
      ...(value !== undefined && { value }),
    };
  });
}

// A provider without a name of its own is the site's own sign-in.
function getSubmit({ name }: CredentialsProvider, translator: Translator): string {
  const { t } = translator;
  return findWord(name) === undefined
    ? t("signin.with", { name: translateLabel(name, translator) })
    : t("credentials.submit");
}

const WRONG = { route: "POST /callback/:provider", window: 900, counts: "failures" } as const;
const LIMITS: Readonly<Record<string, RouteLimit>> = {
  credentials: { ...WRONG, by: "account+client", max: 5, counts: "consecutive-failures" },
  "credentials-account": { ...WRONG, by: "account", max: 20 },
  "credentials-client": { ...WRONG, by: "client", max: 50 },
};

/**
 * Returns the plugin for sign-in by credentials that the application's `authorize` verifies, such
 * as a name and a password.
 */
export const credentialsFlow: () => Plugin = definePlugin(function credentialsFlow(): Plugin {
  return {
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
        limits: LIMITS,
        form(provider, _, translator) {
          const fields = toFields(provider, translator);
          if (!fields.length) return undefined;
          return {
            kind: "form",
            provider: provider.id,
            form: {
              action: provider.callbackUrl,
              fields,
              submit: getSubmit(provider, translator),
              ...(provider.style?.brandColor && { color: provider.style.brandColor }),
            },
          };
        },
      });
    },
  };
});
