import { runFlow } from "../../src/_kit.ts";
import { AuthError, CallbackRouteError, InvalidProvider } from "../../src/errors.ts";
import { definePlugin, type AuthContext, type FlowContext, type Plugin } from "../../src/kernel.ts";

async function finish(ctx: AuthContext): Promise<Response> {
  const { provider, kernel, request } = ctx as FlowContext;
  const flow = kernel.flow(provider.type);
  const method = request.method === "POST" ? "POST" : "GET";
  if (!flow.finish || !(flow.methods ?? ["GET", "POST"]).includes(method)) {
    throw new InvalidProvider(`"${provider.id}" has no callback for ${method}.`);
  }
  try {
    return await runFlow(ctx as FlowContext, "finish");
  } catch (error) {
    if (error instanceof AuthError) throw error;
    throw new CallbackRouteError("The sign-in could not be completed.", {
      cause: { err: error as Error, provider: provider.id },
    });
  }
}

/** Returns the plugin for `GET` and `POST /callback/:provider`, which complete a sign-in. */
export const callbackRoute: () => Plugin = definePlugin(function callbackRoute(): Plugin {
  return {
    name: "routes/callback",
    setup(kernel) {
      const path = "/callback/:provider";
      kernel.addRoute({ method: "GET", path, writes: true, handler: finish });
      kernel.addRoute({ method: "POST", path, csrf: "flow", handler: finish });
    },
  };
});
