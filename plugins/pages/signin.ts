import { createCache, definePlugin, providerAt } from "../../src/index.ts";
import { toOwnPage } from "./own-page.ts";
import { ENGLISH, MESSAGE_IDS } from "./signin-messages.ts";
import type {
  AuthContext,
  Block,
  Field,
  Form,
  Kernel,
  Message,
  Plugin,
  Reading,
  ResolvedProvider,
} from "../../src/index.ts";

/** What the page keeps between requests. */
interface Tools {
  /** Loaded with the first page. */
  marks(): Promise<typeof import("./marks.ts")>;
  providersAt(ctx: AuthContext): readonly ResolvedProvider[];
}

/** More buttons than these are hidden behind a word that opens them. */
const MOST_BUTTONS = 8;
/** As many stay in sight then. */
const FIRST_BUTTONS = 5;

const DEVELOPERS = "There is no way to sign in yet: add one to `providers` in the configuration.";

function messageOf(error: string, { say }: Reading): Message {
  const tone = error === "SessionRequired" ? "info" : "error";
  return { tone, text: say(MESSAGE_IDS.get(error) ?? "signin.error.unknown") };
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

// A run of buttons too long to be looked through: the first stay, a word opens the others.
function folded(run: readonly Block[], { say }: Reading): readonly Block[] {
  if (run.length <= MOST_BUTTONS) return run;
  const blocks = run.slice(FIRST_BUTTONS);
  const text = say("signin.more", { count: blocks.length });
  const more: Block = { kind: "more", text, blocks: [{ kind: "grid", blocks }] };
  return [...run.slice(0, FIRST_BUTTONS), more];
}

// Buttons stand together; what is to be filled in stands apart.
function arranged(blocks: readonly Block[], reading: Reading): Block[] {
  const parts: (readonly Block[])[] = [];
  let run: Block[] = [];
  const close = () => {
    if (run.length) parts.push(folded(run, reading));
    run = [];
  };
  for (const block of blocks) {
    if (!isFilledIn(block)) {
      run.push(block);
      continue;
    }
    close();
    parts.push([block]);
  }
  close();
  const or: Block = { kind: "divider", text: reading.say("signin.or") };
  return parts.flatMap((part, at) => (at === 0 ? part : [or, ...part]));
}

async function blocksOf(ctx: AuthContext, reading: Reading, tools: Tools): Promise<Block[]> {
  const { kernel } = ctx;
  const given: Block[] = [];
  for (const provider of tools.providersAt(ctx)) {
    const block = kernel.flow(provider.type).form?.(provider, ctx, reading);
    if (block) given.push(block);
  }
  if (given.length === 0) {
    const text = kernel.config.production ? reading.say("signin.closed") : DEVELOPERS;
    return [{ kind: "text", text }];
  }

  const [csrfToken, callbackUrl, { MARKS }] = await Promise.all([
    ctx.csrfToken(),
    rememberedTarget(ctx),
    tools.marks(),
  ]);
  const email = prefillOf(ctx.url.searchParams);
  const common = { csrfToken, callbackUrl };
  const complete = (block: Block): Block => {
    if (block.kind !== "form") return block;
    const { form: plain, provider = "" } = block;
    const hidden = plain.hidden ? { ...plain.hidden, ...common } : common;
    const form: Form = { ...plain, hidden };
    const mark = isFilledIn(block) ? undefined : MARKS.get(provider);
    if (mark) form.mark ??= mark;
    if (form.fields) form.fields = form.fields.map((field) => prefilled(field, email));
    return { ...block, form };
  };
  return arranged(given.map(complete), reading);
}

async function signIn(ctx: AuthContext, tools: Tools): Promise<Response> {
  const { signIn: own } = ctx.kernel.config.pages;
  const query = ctx.url.searchParams;
  const error = query.get("error") || undefined;
  if (own) {
    const code = query.get("code") || undefined;
    const callbackUrl = await ctx.callbackUrl();
    const response = toOwnPage(ctx, own, { callbackUrl, error, code });
    if (response) return response;
  }
  const reading = await ctx.reading();
  return ctx.page({
    name: "signin",
    title: reading.say("signin.title"),
    heading: reading.say("signin.heading"),
    ...(error && { message: messageOf(error, reading) }),
    blocks: await blocksOf(ctx, reading, tools),
  });
}

function createTools(kernel: Kernel): Tools {
  // Only the origin differs from request to request.
  const lists = createCache<readonly ResolvedProvider[]>({ max: 16 });
  let marks: ReturnType<Tools["marks"]> | undefined;
  return {
    marks: () => (marks ??= import("./marks.ts")),
    providersAt(ctx) {
      let list = lists.get(ctx.base);
      if (!list) {
        list = [...kernel.providers.values()].map((provider) => providerAt(ctx, provider));
        lists.set(ctx.base, list);
      }
      return list;
    },
  };
}

/** The page with every way in; `pages.signIn` leads to the application's own. */
export function signinPage(): Plugin {
  return definePlugin({
    name: "pages/signin",
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      const tools = createTools(kernel);
      const handler = (ctx: AuthContext) => signIn(ctx, tools);
      kernel.addRoute({ method: "GET", path: "/signin", handler });
    },
  });
}

export default signinPage;
