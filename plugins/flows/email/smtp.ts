import { AuthError } from "../../../src/index.ts";
import type { Mail, MailTransport } from "../../../src/index.ts";
import type { AnyEmailProvider } from "./types.ts";

/** Hands a mail to an SMTP server. */
export type SendBySmtp = (provider: AnyEmailProvider, mail: Mail) => Promise<void>;

/** Milliseconds for each step of a conversation with a server; the whole has its own bound. */
const STEP = 10_000;
const TIMEOUTS = { connectionTimeout: STEP, greetingTimeout: STEP, socketTimeout: STEP };

function isTransport(server: object): server is MailTransport {
  return "sendMail" in server && typeof server.sendMail === "function";
}

async function connect({ smtp, server = {}, id }: AnyEmailProvider): Promise<MailTransport> {
  if (typeof server === "object" && isTransport(server)) return server;
  const load = smtp as NonNullable<typeof smtp>;
  const nodemailer = await load().catch((error: unknown) => {
    throw new AuthError(`"${id}" needs the package "nodemailer". Install it.`, { cause: error });
  });
  if (typeof server === "string") return nodemailer.createTransport({ url: server, ...TIMEOUTS });
  // A transport plugin has its own ways.
  return nodemailer.createTransport("send" in server ? server : { ...TIMEOUTS, ...server });
}

/** Makes the way to SMTP servers: one transport per provider, made with its first mail. */
export function createSmtp(): SendBySmtp {
  const transports = new Map<string, Promise<MailTransport>>();

  const transportOf = (provider: AnyEmailProvider): Promise<MailTransport> => {
    const known = transports.get(provider.id);
    if (known) return known;
    const made = connect(provider);
    transports.set(provider.id, made);
    made.catch(() => transports.delete(provider.id));
    return made;
  };

  return async (provider, { to, from, subject, text, html }) => {
    const transport = await transportOf(provider);
    const result = (await transport.sendMail({
      // As objects, they are never parsed: nothing in them becomes another recipient.
      to: { name: "", address: to },
      from: { name: from?.name ?? "", address: from?.address ?? "" },
      subject,
      text,
      html,
      // RFC 3834: no holiday notices.
      headers: { "Auto-Submitted": "auto-generated" },
      disableFileAccess: true,
      disableUrlAccess: true,
    })) as { rejected?: unknown[]; pending?: unknown[] } | undefined;
    const failed = [...(result?.rejected ?? []), ...(result?.pending ?? [])].filter(Boolean);
    if (failed.length) throw new AuthError("The server does not take mail for the recipient.");
  };
}
