import { definePlugin, providerAt } from "../../src/index.ts";
import { toOwnPage } from "./own-page.ts";
import type { AuthContext, Block, Field, Form, Message, Plugin } from "../../src/index.ts";

const ANOTHER_ACCOUNT = "The sign-in did not go through. Try again, or use a different account.";
const NOT_SENT = "The email could not be sent. Check the address, or try again later.";
const STARTED_ANEW = "The sign-in took too long, or its cookies were lost. Please try again.";

/** What the sign-in page says, by the `error` that led to it. The first ones are Auth.js 4's. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["Signin", ANOTHER_ACCOUNT],
  ["OAuthSignin", ANOTHER_ACCOUNT],
  ["OAuthCallback", ANOTHER_ACCOUNT],
  ["OAuthCreateAccount", ANOTHER_ACCOUNT],
  ["EmailCreateAccount", ANOTHER_ACCOUNT],
  ["Callback", ANOTHER_ACCOUNT],
  ["EmailSignin", NOT_SENT],
  ["AccessDenied", "You do not have permission to sign in."],
  [
    "AccountNotLinked",
    "This passkey or its address belongs to an account already. " +
      "Sign in the way you signed in before.",
  ],
  ["BadRequest", "Something was wrong with the request. Please try again."],
  [
    "Configuration",
    "This way to sign in does not work at the moment. Try another one, or come back later.",
  ],
  ["CredentialsSignin", "The sign-in failed. Check what you entered, and try again."],
  ["EmailSignInError", NOT_SENT],
  ["InvalidCheck", STARTED_ANEW],
  [
    "MissingCSRF",
    "This page was open for too long, or your browser blocks its cookies. Please try again.",
  ],
  [
    "OAuthAccountNotLinked",
    "Your address belongs to an account already. Sign in the way you signed in before.",
  ],
  ["OAuthCallbackError", ANOTHER_ACCOUNT],
  ["OAuthSignInError", "The service you chose cannot be reached. Try again, or choose another."],
  [
    "Verification",
    "The sign-in link is no longer valid: it was used before, or it is too old. Ask for a new one.",
  ],
  ["WebAuthnVerificationError", "The passkey could not be verified. Please try again."],
]);

const UNKNOWN = "Something went wrong. Please try again.";

function messageOf(error: string): Message {
  if (error === "SessionRequired")
    return { tone: "info", text: "Please sign in to see this page." };
  return { tone: "error", text: MESSAGES.get(error) ?? UNKNOWN };
}

// Long enough for any address (RFC 5321, 4.5.3.1); what cannot be one is not filled in.
function prefillOf(query: URLSearchParams): string | undefined {
  const email = query.get("email");
  return email !== null && email.length <= 254 && email.includes("@") ? email : undefined;
}

function prefilled(field: Field, email: string | undefined): Field {
  const takesIt = field.type === "email" && field.value === undefined && email !== undefined;
  return takesIt ? { ...field, value: email } : field;
}

function isFilledIn(block: Block): boolean {
  return block.kind !== "form" || (block.form.fields?.length ?? 0) > 0;
}

// The browser's other tab may be on its way elsewhere, so the target travels with the form.
async function rememberedTarget(ctx: AuthContext): Promise<string | undefined> {
  const { name } = ctx.cookies.spec("callbackUrl");
  const isGiven = ctx.url.searchParams.get("callbackUrl") || ctx.cookies.get(name);
  return isGiven ? ctx.callbackUrl() : undefined;
}

async function blocksOf(ctx: AuthContext): Promise<Block[]> {
  const { kernel } = ctx;
  const given: Block[] = [];
  for (const provider of kernel.providers.values()) {
    const block = kernel.flow(provider.type).form?.(providerAt(ctx, provider), ctx);
    if (block) given.push(block);
  }
  if (given.length === 0) {
    const text = kernel.config.production
      ? "Nobody can sign in here yet. Please come back later."
      : "There is no way to sign in yet: add one to `providers` in the configuration.";
    return [{ kind: "text", text }];
  }

  const [csrfToken, callbackUrl] = await Promise.all([ctx.csrfToken(), rememberedTarget(ctx)]);
  const email = prefillOf(ctx.url.searchParams);
  const complete = (form: Form): Form => ({
    ...form,
    ...(form.fields && { fields: form.fields.map((field) => prefilled(field, email)) }),
    hidden: { ...form.hidden, csrfToken, callbackUrl },
  });

  const blocks: Block[] = [];
  for (const [at, block] of given.entries()) {
    const before = given[at - 1];
    if (before && (isFilledIn(before) || isFilledIn(block))) {
      blocks.push({ kind: "divider", text: "or" });
    }
    blocks.push(block.kind === "form" ? { ...block, form: complete(block.form) } : block);
  }
  return blocks;
}

async function signIn(ctx: AuthContext): Promise<Response> {
  const { signIn: own } = ctx.kernel.config.pages;
  const query = ctx.url.searchParams;
  const error = query.get("error") || undefined;
  if (own) {
    const code = query.get("code") || undefined;
    const callbackUrl = await ctx.callbackUrl();
    const response = toOwnPage(ctx, own, { callbackUrl, error, code });
    if (response) return response;
  }
  return ctx.page({
    name: "signin",
    title: "Sign In",
    heading: "Sign in",
    ...(error && { message: messageOf(error) }),
    blocks: await blocksOf(ctx),
  });
}

/** The page with every way in; `pages.signIn` leads to the application's own. */
export function signinPage(): Plugin {
  return definePlugin({
    name: "pages/signin",
    setup(kernel) {
      kernel.addRoute({ method: "GET", path: "/signin", handler: signIn });
    },
  });
}

export default signinPage;
