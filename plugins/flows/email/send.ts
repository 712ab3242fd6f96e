import { until } from "../../../src/index.ts";
import type { VerificationRequest } from "../../../src/index.ts";
import { sendByApi } from "./api.ts";
import { faultOf } from "./fault.ts";
import { createSmtp } from "./smtp.ts";
import type { AnyEmailProvider, EmailContext } from "./types.ts";

/** Sends a mail, or throws what kept it from being sent. */
export type Send = (ctx: EmailContext, request: VerificationRequest) => Promise<void>;

/** Milliseconds that sending may take (SECURITY.md, part 3). */
export const MAIL_TIMEOUT = 10_000;

/** Makes the sender of all e-mail providers. */
export function createSend(): Send {
  const sendBySmtp = createSmtp();

  const deliver = async (ctx: EmailContext, request: VerificationRequest, signal: AbortSignal) => {
    const { provider } = ctx;
    if (provider.sendVerificationRequest) return provider.sendVerificationRequest(request);
    if (!provider.api) return sendBySmtp(provider, request.mail);
    const withApi = provider as AnyEmailProvider & { api: typeof provider.api };
    return sendByApi(withApi, request.mail, { timeout: MAIL_TIMEOUT, signal });
  };

  return async (ctx, request) => {
    const { provider, kernel } = ctx;
    const time = new AbortController();
    const timer = setTimeout(() => {
      time.abort(new Error(`no answer within ${MAIL_TIMEOUT} ms`));
    }, MAIL_TIMEOUT);
    try {
      // Not ended with the request: who closes the page too early shall find a link that works.
      await until(deliver(ctx, request, time.signal), time.signal);
    } catch (error) {
      const { token, url, identifier } = request;
      const secrets = [url, encodeURIComponent(url), token, identifier, provider.apiKey];
      throw faultOf(error, provider.id, [...secrets, ...[kernel.config.secret].flat()]);
    } finally {
      clearTimeout(timer);
    }
  };
}
