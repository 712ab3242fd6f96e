export type * from "./email/provider.ts";
export { InvalidEmailCode } from "./email/errors.ts";
import { CHECK_MAX_AGE_S, definedName, memoizeAsync, storedUsers } from "../../src/_kit.ts";
import { definePlugin } from "../../src/kernel.ts";
import type {
  Plugin,
  AuthContext,
  Block,
  Flow,
  Kernel,
  Page,
  Translator,
  ResolvedProvider,
  RouteLimit,
} from "../../src/kernel.ts";
import { pageRenderer } from "../pages/renderer.ts";
import { createLimiter, rateLimit } from "../security/rate-limit.ts";
import { parseAddress } from "./email/address.ts";
import { addErrors, InvalidEmailCode } from "./email/errors.ts";
import { getNoticeUrl } from "./email/notice.ts";
import { resolveProvider } from "./email/resolve.ts";
import type { AnyEmailProvider, EmailContext } from "./email/types.ts";

const toLetters = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]/g, "");

// The button names the provider only if there are several, or if it has a custom name: visitors do not know the mail
// service. The name of a service that is a plain object equals its id.
function getLabel(
  provider: AnyEmailProvider & { readonly [definedName]?: string },
  { kernel }: AuthContext,
  { t }: Translator,
): string {
  const { id, type, name, [definedName]: service } = provider;
  const others = [...kernel.providers.values()].filter((other) => other.type === type);
  const isCustom = name !== service && toLetters(name) !== toLetters(id);
  const isNamed = others.length > 1 || isCustom;
  return isNamed ? t("email.submit.by", { name }) : t("email.submit");
}

function buildForm(
  provider: ResolvedProvider<AnyEmailProvider>,
  ctx: AuthContext,
  translator: Translator,
): Block {
  const { id, style, signinUrl } = provider;
  const { t } = translator;
  return {
    kind: "form",
    provider: id,
    form: {
      action: signinUrl,
      fields: [
        {
          name: "email",
          label: t("email.label"),
          type: "email",
          attributes: {
            required: true,
            placeholder: t("email.placeholder"),
            autocomplete: "email",
          },
        },
      ],
      submit: getLabel(provider, ctx, translator),
      ...(style?.brandColor && { color: style.brandColor }),
    },
  };
}

// `start` reports an address that is not valid.
async function identify(ctx: EmailContext): Promise<string> {
  try {
    return parseAddress(ctx.provider, (await ctx.body()).email);
  } catch {
    return "";
  }
}

interface Parts {
  flow: Flow<AnyEmailProvider>;
  withCodeForm(page: Page, ctx: AuthContext): Promise<Page>;
}

// After a wrong code, the visitor returns to the page with the code form.
function returnToNotice(error: Error, ctx: AuthContext): Response | undefined {
  if (!(error instanceof InvalidEmailCode) || ctx.route?.json) return undefined;
  return ctx.redirect(getNoticeUrl(ctx, error));
}

const REQUEST = { route: "POST /signin/:provider", window: 900 } as const;
const LIMITS: Readonly<Record<string, RouteLimit>> = {
  "email-account": { ...REQUEST, by: "account", max: 10, counts: "successes" },
  "email-client": { ...REQUEST, by: "client", max: 100 },
};

function createFlow(kernel: Kernel): Parts {
  const stores = {
    limiter: createLimiter(kernel, "email-attempts"),
    requests: kernel.store<string | false>("email-once", { optional: true }),
    newest: kernel.store<string>("email-newest", { optional: true }),
  };
  const steps = memoizeAsync(async () =>
    (await import("./email/lazy.ts")).createSteps(kernel, stores),
  );
  const flow: Flow<AnyEmailProvider> = {
    links: "email",
    resolve: resolveProvider,
    identify: async (ctx) =>
      (ctx.provider.code && (await (await steps()).identifyCode(ctx))) || identify(ctx),
    start: async (ctx) => (await steps()).start(ctx),
    limits: LIMITS,
    limited: async (ctx) => (await steps()).limited(ctx),
    finish: async (ctx) => (await steps()).finish(ctx),
    completed: async (ctx, identity) => (await steps()).completed(ctx, identity),
    failed: async (ctx, error, identity) => (await steps()).failed(ctx, error, identity),
    linked(_, { account, user }) {
      account.userId = String(user.id);
    },
    form: buildForm,
  };
  return { flow, withCodeForm: async (page, ctx) => (await steps()).withCodeForm(page, ctx) };
}

/** Returns the plugin for sign-in by a link sent by e-mail. Requires an adapter. */
export const emailFlow: () => Plugin = definePlugin(function emailFlow(): Plugin {
  return {
    name: "flows/email",
    provides: ["flow:email"],
    plugins: [pageRenderer(), rateLimit(), storedUsers()],
    setup(kernel) {
      addErrors(kernel);
      // Auth.js has no such cookie: its links work in any browser without confirmation.
      kernel.addCookie("emailCheck", { name: "authjs.email-check", maxAge: CHECK_MAX_AGE_S });
      const { flow, withCodeForm } = createFlow(kernel);
      kernel.addFlow("email", flow);
      kernel.hooks.page.for("verify-request").tap("flows/email", withCodeForm);
      // This tap is late because a tap of the application may return its own response.
      kernel.hooks.error.tap({ name: "flows/email", stage: "late" }, returnToNotice);
    },
  };
});
