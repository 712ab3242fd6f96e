import { AuthError } from "../../../src/errors.ts";
import type { Mail, MailTransport } from "./provider.ts";
import type { AnyEmailProvider } from "./types.ts";

/** Sends an e-mail through an SMTP server. Rejects when the server refuses it. */
export type SendBySmtp = (provider: AnyEmailProvider, mail: Mail) => Promise<void>;

/** Milliseconds for each step of an SMTP connection. The whole has a separate limit. */
const STEP_TIMEOUT_MS = 10_000;
const TIMEOUTS = {
  connectionTimeout: STEP_TIMEOUT_MS,
  greetingTimeout: STEP_TIMEOUT_MS,
  socketTimeout: STEP_TIMEOUT_MS,
};

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
  // A transport plugin has its own options.
  return nodemailer.createTransport("send" in server ? server : { ...TIMEOUTS, ...server });
}

/** Creates the SMTP sender. It creates one transport for each provider, with the first e-mail. */
export function createSmtp(): SendBySmtp {
  const transports = new Map<string, Promise<MailTransport>>();

  const getTransport = (provider: AnyEmailProvider): Promise<MailTransport> => {
    const known = transports.get(provider.id);
    if (known) return known;
    const transport = connect(provider);
    transports.set(provider.id, transport);
    transport.catch(() => transports.delete(provider.id));
    return transport;
  };

  return async (provider, { to, from, subject, text, html }) => {
    const transport = await getTransport(provider);
    const result = (await transport.sendMail({
      // Address objects are not parsed, so an address cannot add a recipient.
      to: { name: "", address: to },
      from: { name: from?.name ?? "", address: from?.address ?? "" },
      subject,
      text,
      html,
      // Suppresses automatic replies (RFC 3834).
      headers: { "Auto-Submitted": "auto-generated" },
      disableFileAccess: true,
      disableUrlAccess: true,
    })) as { rejected?: unknown[]; pending?: unknown[] } | undefined;
    const failed = [...(result?.rejected ?? []), ...(result?.pending ?? [])].filter(Boolean);
    if (failed.length) throw new AuthError("The server refused the recipient.");
  };
}
