import { SignInError } from "../../src/errors.ts";
// A provider type as another package would define it: only public entry points are imported.
import {
  clearCheck,
  definePlugin,
  defineProvider,
  type Flow,
  type FlowContext,
  type Identity,
  openCheck,
  type Plugin,
  type ProviderBase,
  type ProviderFactory,
  sealCheck,
} from "../../src/kernel.ts";

/** Sign-in by a code in a text message. */
export interface SmsProvider extends ProviderBase {
  type: "sms";
  send(phone: string, code: string): void;
}

/** Sign-in by a smart card. The account stands for an authenticator. */
export interface CardProvider extends ProviderBase {
  type: "card";
}

declare module "../../src/types.ts" {
  interface CookieKeys {
    smsCode: true;
  }
  interface ProviderTypes {
    sms: SmsProvider;
    card: CardProvider;
  }
}

/** The code is wrong; the sign-in page says so. */
export class WrongSmsCode extends SignInError {
  static override readonly type: string = "WrongSmsCode";
  static override readonly public: boolean = true;
  static override readonly status: number = 401;
}

const ENGLISH = {
  "sms.phone": "Phone number",
  "signin.error.sms-code": "The code is wrong. Ask for another one.",
  "error.sms-code.heading": "Wrong code",
  "error.sms-code.text": "The code of the message is not the one that was entered.",
  "error.sms-code.again": "Send another code",
};
const GERMAN = {
  "sms.phone": "Telefonnummer",
  "signin.error.sms-code": "Der Code stimmt nicht. Fordern Sie einen neuen an.",
  "error.sms-code.heading": "Falscher Code",
  "error.sms-code.text": "Der Code der Nachricht wurde falsch eingegeben.",
  "error.sms-code.again": "Neuen Code senden",
};

const CODE = "424242";

async function start(ctx: FlowContext<SmsProvider>): Promise<Response> {
  const phone = String((await ctx.body()).phone);
  await sealCheck(ctx, "smsCode", { value: `${phone} ${CODE}` });
  ctx.provider.send(phone, CODE);
  return ctx.redirect(`${ctx.base}/signin`);
}

async function finish(ctx: FlowContext<SmsProvider>): Promise<Identity> {
  const { phone, code } = (await ctx.body()) as Record<string, string>;
  const check = await openCheck(ctx, "smsCode");
  if (check.value !== `${phone} ${code}`) throw new WrongSmsCode("The code is wrong.");
  clearCheck(ctx, "smsCode");
  const id = String(phone);
  return {
    user: { name: `Phone ${id}` },
    account: { providerAccountId: id },
  };
}

export function smsFlow(): Plugin {
  const flow: Flow<SmsProvider> = {
    direct: true,
    methods: ["POST"],
    start,
    finish,
    form: ({ id, name, signinUrl }, _, { t }) => ({
      kind: "form",
      provider: id,
      form: {
        action: signinUrl,
        fields: [{ name: "phone", type: "tel", label: t("sms.phone") }],
        submit: t("signin.with", { name }),
      },
    }),
  };
  return definePlugin({
    name: "flows/sms",
    provides: ["flow:sms"],
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addMessages("de", GERMAN);
      kernel.addError("WrongSmsCode", { text: "sms-code", status: 401 });
      kernel.addCookie("smsCode", {
        name: "acme.sms-code",
        maxAge: 120,
        reservedSalts: ["acme.sms-ticket"],
      });
      kernel.addFlow("sms", flow);
    },
  });
}

export const smsPlugin: ProviderFactory<SmsProvider> = defineProvider<SmsProvider>(
  smsFlow,
  ({ send = () => {} }) => ({ id: "sms", name: "SMS", type: "sms", send }),
);

export function cardFlow(credential?: "authenticator"): Plugin {
  return definePlugin({
    name: "flows/card",
    provides: ["flow:card"],
    setup: (kernel) =>
      kernel.addFlow("card", {
        finish: () => new Response(),
        ceremony: "card-reader",
        ...(credential && { credential }),
      }),
  });
}

export const cardPlugin: ProviderFactory<CardProvider> = defineProvider<CardProvider>(
  () => cardFlow("authenticator"),
  () => ({ id: "card", name: "Card", type: "card" }),
);
