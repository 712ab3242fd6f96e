import { randomUUID } from "node:crypto";
import { markSession } from "../../src/_kit.ts";
import { BadRequest, InvalidCheck } from "../../src/errors.ts";
import {
  clearCheck,
  definePlugin,
  type Flow,
  type FlowContext,
  getLinkFingerprint,
  type Kernel,
  openCheck,
  type Plugin,
  type ProviderBase,
  type SealedCheck,
  sealCheck,
} from "../../src/kernel.ts";

interface StateProvider extends ProviderBase {
  type: "state";
}

/** The key of the cookie. */
export const KEY = "stateAttempt" as never;

type Context = FlowContext<StateProvider>;

/** The parts that a defect may replace. */
export interface Steps {
  seal(ctx: Context, check: Omit<SealedCheck, "provider" | "browser">): Promise<void>;
  /** Returns the attempt of the request. */
  open(ctx: Context): Promise<Partial<SealedCheck>>;
  /** Marks the attempt as used. Returns whether it was unused. */
  use(ctx: Context, value: string): Promise<boolean> | boolean;
  clear(ctx: Context): void;
  /** Called with the `state` of each callback. */
  see(ctx: Context, state: string | null): Promise<void> | void;
  isUser(user: string): boolean;
  identify(
    user: string,
    check: Partial<SealedCheck>,
  ): { account: string; callbackUrl?: string; session?: undefined };
  getLink(ctx: Context): Promise<string | undefined>;
  flow: Partial<Flow<StateProvider>>;
}

/** A provider whose server redirects to the callback with `state` and `user`. `change` may break it. */
export function statePlugin(change: (kernel: Kernel) => Partial<Steps> = () => ({})): Plugin {
  return definePlugin({
    name: "state",
    setup(kernel) {
      const steps: Steps = {
        seal: (ctx, check) => sealCheck(ctx, KEY, check),
        open: (ctx) => openCheck(ctx, KEY),
        use: (_, value) => kernel.useOnce("state", value),
        clear: (ctx) => clearCheck(ctx, KEY),
        see: () => {},
        isUser: (user) => ["ada", "eve", "bob"].includes(user),
        identify: (user) => ({ account: user }),
        getLink: getLinkFingerprint,
        flow: {},
        ...change(kernel),
      };
      kernel.addCookie(KEY, { name: "state.attempt", maxAge: 900 });
      kernel.addFlow(
        "state" as never,
        {
          methods: ["GET"],
          async start(ctx: Context) {
            const value = randomUUID();
            const linkTo = await steps.getLink(ctx);
            await steps.seal(ctx, {
              value,
              linkTo,
              callbackUrl: await ctx.callbackUrl(),
              session: await markSession(ctx),
            });
            return ctx.redirect(`https://other.example/?state=${value}`);
          },
          async finish(ctx: Context) {
            const { searchParams } = ctx.url;
            await steps.see(ctx, searchParams.get("state"));
            const check = await steps.open(ctx);
            const { value = "", callbackUrl, linkTo, session } = check;
            if (value !== searchParams.get("state")) throw new InvalidCheck("Another attempt.");
            if (!(await steps.use(ctx, value))) throw new InvalidCheck("The attempt was used.");
            steps.clear(ctx);
            const user = searchParams.get("user") ?? "";
            if (!steps.isUser(user)) throw new BadRequest("There is no such user.");
            const { account, ...rest } = steps.identify(user, check);
            return {
              user: { name: user },
              account: { providerAccountId: account },
              ...{ callbackUrl, linkTo, session, ...rest },
            };
          },
          ...steps.flow,
        } as never,
      );
      kernel.addProvider({ id: "state", name: "State", type: "state" });
    },
  });
}
