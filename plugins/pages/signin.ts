import { findErrorText, memoizeAsync, wantsData } from "../../src/_kit.ts";
import { definePlugin, providerAt } from "../../src/kernel.ts";
import type {
  AuthContext,
  Block,
  Field,
  Form,
  Icon,
  Kernel,
  Message,
  Plugin,
  Translator,
  ResolvedProvider,
} from "../../src/kernel.ts";
import { getSignedInText } from "./_error-text.ts";
import { loadIcons } from "./_load-icons.ts";
import { findNextPage } from "./_next-page.ts";
import { redirectToOwnForm } from "./_own-page.ts";
import { pageRenderer } from "./renderer.ts";
import { ENGLISH } from "./signin/messages.ts";

/** The page's state across requests. */
interface SignInPageTools {
  /** Loads the icons of all providers, with the first page. */
  loadIcons(): Promise<ReadonlyMap<string, Icon>>;
  /** Resolves the providers for the request's origin. The result is cached for each origin. */
  listProviders(ctx: AuthContext): readonly ResolvedProvider[];
}

/** Maximum number of buttons in a row. More than these are collapsed. */
const MAX_BUTTONS = 8;
/** Number of buttons that then stay visible. */
const FIRST_BUTTONS = 5;

/** Errors that only ask for a sign-in. Nothing has failed. */
const ASKS = new Set(["SessionRequired", "FreshSessionRequired"]);

const NO_PROVIDERS_TEXT =
  "No sign-in method is configured: add a provider to `providers` in the configuration.";

async function getMessage(
  ctx: AuthContext,
  error: string,
  translator: Translator,
): Promise<Message> {
  const signedIn = await getSignedInText(ctx, error, translator);
  if (signedIn !== undefined) return { tone: "error", text: signedIn };
  const tone = ASKS.has(error) ? "info" : "error";
  const text = findErrorText(ctx, error, translator) ?? translator.t("signin.error.unknown");
  return { tone, text };
}

// 254 characters are enough for any address (RFC 5321, section 4.5.3.1). Longer text is ignored.
function getPrefill(query: URLSearchParams): string | undefined {
  const email = query.get("email");
  return email !== null && email.length <= 254 && email.includes("@") ? email : undefined;
}

function prefillField(field: Field, email: string | undefined): Field {
  const isFillable = field.type === "email" && field.value === undefined && email !== undefined;
  return isFillable ? { ...field, value: email } : field;
}

function isButton(block: Block): boolean {
  return block.kind === "form" && !block.form.fields?.length && !block.form.script;
}

// Methods that need only one press come before forms to fill in, and single buttons come before forms with more.
function getRank(block: Block): number {
  if (isButton(block)) return 0;
  return block.kind === "form" && !block.form.fields?.length ? 1 : 2;
}

// A page has one primary button, the one of its first form. While the script of that form has not run, the first form
// without a script has it (`src/page/style.ts`).
function withOnePrimary(blocks: readonly Block[]): Block[] {
  const forms = blocks.filter((block) => block.kind === "form" && !isButton(block));
  const primary = new Set([
    forms[0],
    forms.find((block) => block.kind === "form" && !block.form.script),
  ]);
  return blocks.map((block) =>
    block.kind !== "form" || isButton(block) || primary.has(block)
      ? block
      : { ...block, form: { look: "plain", ...block.form } },
  );
}

// The callback URL is a field of the form, because another tab of the browser may overwrite the cookie.
async function getCallbackUrl(ctx: AuthContext): Promise<string | undefined> {
  const { name } = ctx.cookies.spec("callbackUrl");
  const isGiven = ctx.url.searchParams.get("callbackUrl") || ctx.cookies.get(name);
  return isGiven ? ctx.callbackUrl() : undefined;
}

// Collapses a long run of buttons after the first few.
function collapseButtons(run: readonly Block[], { t }: Translator): readonly Block[] {
  if (run.length <= MAX_BUTTONS) return run;
  const blocks = run.slice(FIRST_BUTTONS);
  const text = t("signin.more", { count: blocks.length });
  const more: Block = { kind: "more", text, blocks: [{ kind: "grid", blocks }] };
  return [...run.slice(0, FIRST_BUTTONS), more];
}

// Groups consecutive buttons, and separates the groups and all other blocks with dividers.
function arrangeBlocks(blocks: readonly Block[], translator: Translator): Block[] {
  const parts: (readonly Block[])[] = [];
  let run: Block[] = [];
  const close = () => {
    if (run.length) parts.push(collapseButtons(run, translator));
    run = [];
  };
  for (const block of blocks) {
    if (isButton(block)) {
      run.push(block);
      continue;
    }
    close();
    parts.push([block]);
  }
  close();
  const or: Block = { kind: "divider", text: translator.t("signin.or") };
  return parts.flatMap((part, at) => (at === 0 ? part : [or, ...part]));
}

// Builds the button of a provider whose flow has no form.
function buildButton({ id, name, style, signinUrl }: ResolvedProvider, { t }: Translator): Block {
  const color = style?.brandColor ?? style?.bg;
  return {
    kind: "form",
    provider: id,
    form: {
      action: signinUrl,
      submit: t("signin.with", { name }),
      short: name,
      ...(color && { color }),
      ...(style?.logo && { logo: style.logo }),
    },
  };
}

async function buildBlocks(
  ctx: AuthContext,
  translator: Translator,
  tools: SignInPageTools,
): Promise<Block[]> {
  const { kernel } = ctx;
  const given: Block[] = [];
  for (const provider of tools.listProviders(ctx)) {
    const flow = kernel.flow(provider.type);
    const block = flow.form
      ? flow.form(provider, ctx, translator)
      : flow.start && buildButton(provider, translator);
    if (block) given.push(block);
  }
  if (given.length === 0) {
    return kernel.config.production
      ? [{ kind: "text", text: translator.t("signin.closed") }]
      : [{ kind: "text", text: NO_PROVIDERS_TEXT, language: "en" }];
  }

  const [callbackUrl, icons] = await Promise.all([getCallbackUrl(ctx), tools.loadIcons()]);
  const email = getPrefill(ctx.url.searchParams);
  const common = { callbackUrl };
  const complete = (block: Block): Block => {
    if (block.kind !== "form") return block;
    const { form: plain, provider = "" } = block;
    const hidden = plain.hidden ? { ...plain.hidden, ...common } : common;
    const form: Form = { ...plain, hidden };
    const icon = isButton(block) ? icons.get(provider) : undefined;
    if (icon) form.icon ??= icon;
    const prefill = (fields: readonly Field[]) => fields.map((field) => prefillField(field, email));
    if (form.fields) form.fields = prefill(form.fields);
    if (form.other?.fields) form.other = { ...form.other, fields: prefill(form.other.fields) };
    // Another site may have filled in the address. The mailed link would then sign this browser in as that user.
    if (email !== undefined && form.fields?.length) form.deliberate = true;
    return { ...block, form };
  };
  const ordered = given.map(complete).sort((one, other) => getRank(one) - getRank(other));
  return arrangeBlocks(withOnePrimary(ordered), translator);
}

async function signIn(ctx: AuthContext, tools: SignInPageTools): Promise<Response> {
  const { signIn: own } = ctx.kernel.config.pages;
  const query = ctx.url.searchParams;
  const error = query.get("error") || undefined;
  const next = await findNextPage(ctx, error);
  if (next !== undefined) return ctx.redirect(next);
  if (own && !wantsData(ctx.request)) {
    const code = query.get("code") || undefined;
    const callbackUrl = await ctx.callbackUrl();
    const response = await redirectToOwnForm(ctx, own, { callbackUrl, error, code });
    if (response) return response;
  }
  const translator = await ctx.translator();
  return ctx.page({
    name: "signin",
    title: translator.t("signin.title"),
    heading: translator.t("signin.heading"),
    // An address in the query may have been given to fill the form.
    ...(!query.has("email") && { reusable: true }),
    ...(error && { message: await getMessage(ctx, error, translator) }),
    // For a script whose attempt fails without a response that explains it.
    data: { failure: translator.t("signin.error.unknown") },
    blocks: await buildBlocks(ctx, translator, tools),
  });
}

function createTools(kernel: Kernel): SignInPageTools {
  // The resolved providers depend only on the request's origin.
  const lists = kernel.createCache<readonly ResolvedProvider[]>("pages/signin providers", {
    max: 16,
  });
  return {
    loadIcons: memoizeAsync(() => loadIcons(kernel.providers.values())),
    listProviders(ctx) {
      let list = lists.get(ctx.base);
      if (!list) {
        list = [...kernel.providers.values()].map((provider) => providerAt(ctx, provider));
        lists.set(ctx.base, list);
      }
      return list;
    },
  };
}

/**
 * Registers the page that lists all sign-in methods (`GET /signin`). `pages.signIn` replaces it with the application's
 * own page.
 * @example createAuth().use(signinPage())
 */
export const signinPage: () => Plugin = definePlugin(function signinPage(): Plugin {
  return {
    name: "pages/signin",
    plugins: [pageRenderer()],
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      const tools = createTools(kernel);
      const handler = (ctx: AuthContext) => signIn(ctx, tools);
      kernel.addRoute({ method: "GET", path: "/signin", handler });
    },
  };
});
