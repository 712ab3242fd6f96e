import {
  AuthError,
  CallbackRouteError,
  definePlugin,
  type AuthContext,
  type FlowContext,
  InvalidProvider,
  land,
  type Plugin,
} from "../../src/index.ts";

async function finish(ctx: AuthContext): Promise<Response> {
  const { provider, kernel, request } = ctx as FlowContext;
  const flow = kernel.flow(provider.type);
  const method = request.method === "POST" ? "POST" : "GET";
  if (!flow.finish || !(flow.methods ?? ["GET", "POST"]).includes(method)) {
    throw new InvalidProvider(`"${provider.id}" has no callback by ${method}.`);
  }
  try {
    // Also remembers it, should this attempt fail.
    if (flow.direct) await ctx.callbackUrl();
    const outcome = await flow.finish(ctx as FlowContext);
    return outcome instanceof Response ? outcome : await land(ctx as FlowContext, outcome);
  } catch (error) {
    if (error instanceof AuthError) throw error;
    throw new CallbackRouteError("The sign-in could not be finished.", {
      cause: { err: error as Error, provider: provider.id },
    });
  }
}

/** `GET` or `POST /callback/:provider` finishes a sign-in. */
export function callbackRoute(): Plugin {
  return definePlugin({
    name: "routes/callback",
    setup(kernel) {
      const path = "/callback/:provider";
      kernel.addRoute({ method: "GET", path, handler: finish });
      kernel.addRoute({ method: "POST", path, csrf: "flow", handler: finish });
    },
  });
}

export default callbackRoute;
