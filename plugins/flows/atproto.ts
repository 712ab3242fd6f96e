export type * from "./atproto/provider.ts";
import { CHECK_MAX_AGE_S, NO_STORE } from "../../src/_kit.ts";
import { UnknownAction } from "../../src/errors.ts";
import {
  type AuthContext,
  type Block,
  defineFlow,
  type Kernel,
  type Plugin,
  type ResolvedProvider,
  type Translator,
} from "../../src/kernel.ts";
import { rateLimit } from "../security/rate-limit.ts";
import { addErrors } from "./atproto/errors.ts";
import type { AtprotoProvider } from "./atproto/provider.ts";
import { resolveProvider } from "./atproto/resolve.ts";
import type { AtprotoContext } from "./atproto/types.ts";

// Imported at the first sign-in.
const loadSteps = () => import("./atproto/steps.ts");

function buildForm(
  { id, name, style, signinUrl, server, placeholder }: ResolvedProvider<AtprotoProvider>,
  _: AuthContext,
  { t }: Translator,
): Block {
  return {
    kind: "form",
    provider: id,
    form: {
      action: signinUrl,
      fields: [
        {
          name: "handle",
          label: t("credentials.username"),
          type: "text",
          attributes: {
            required: server === undefined,
            placeholder,
            autocomplete: "username",
            autocapitalize: "none",
            spellcheck: false,
          },
        },
      ],
      submit: t("signin.with", { name }),
      ...(style?.brandColor && { color: style.brandColor }),
    },
  };
}

// Servers of the protocol fetch this document, so nothing in it depends on a visitor.
async function sendMetadata(ctx: AuthContext): Promise<Response> {
  if (ctx.provider?.type !== "atproto") {
    throw new UnknownAction("Only a client of the AT Protocol has this document.");
  }
  const { buildClientMetadata } = await loadSteps();
  return ctx.json(await buildClientMetadata(ctx as AtprotoContext), { headers: NO_STORE });
}

function setUp(kernel: Kernel): void {
  addErrors(kernel);
  kernel.addCookie("atprotoRequest", {
    name: "keyhook.atproto-request",
    maxAge: CHECK_MAX_AGE_S,
  });
  kernel.addRoute({
    method: "GET",
    path: "/client-metadata/:provider",
    json: true,
    handler: sendMetadata,
  });
}

/**
 * Returns the plugin for sign-in by the AT Protocol's profile of OAuth, which Bluesky uses. The visitor types a handle,
 * a DID or a server. The authorization server is discovered from it, and is trusted only for its own accounts. Adds the
 * route `GET /client-metadata/:provider`, whose URL is the client id.
 * @see https://atproto.com/specs/oauth
 */
export const atprotoFlow: () => Plugin = defineFlow<AtprotoProvider>(
  "atproto",
  {
    methods: ["GET"],
    state: "state",
    resolve: resolveProvider,
    // Each attempt makes this server send requests to a server that the visitor chooses.
    limits: {
      "atproto-client": { route: "POST /signin/:provider", by: "client", max: 50, window: 900 },
    },
    start: async (ctx, attempt) => (await loadSteps()).start(ctx as AtprotoContext, attempt),
    finish: async (ctx, attempt) => (await loadSteps()).finish(ctx as AtprotoContext, attempt),
    form: buildForm,
  },
  { plugins: [rateLimit()], setup: setUp },
);
