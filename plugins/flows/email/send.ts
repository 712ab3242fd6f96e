import { raceSignal } from "../../../src/_kit.ts";
import { sendByApi } from "./api.ts";
import { spaceCode } from "./code.ts";
import type { VerificationRequest } from "./provider.ts";
import { toSendError } from "./send-error.ts";
import { createSmtp } from "./smtp.ts";
import type { AnyEmailProvider, EmailContext } from "./types.ts";

/** Sends an e-mail. Rejects with an `AuthError` on failure. */
export type Send = (ctx: EmailContext, request: VerificationRequest) => Promise<void>;

/** Maximum number of milliseconds for sending, so that a slow mail server cannot hold requests (SECURITY.md R17). */
const MAIL_TIMEOUT_MS = 10_000;

/** Creates the sender for all e-mail providers. */
export function createSend(): Send {
  const sendBySmtp = createSmtp();

  const deliver = async (ctx: EmailContext, request: VerificationRequest, signal: AbortSignal) => {
    const { provider } = ctx;
    if (provider.sendVerificationRequest) return provider.sendVerificationRequest(request);
    if (!provider.api) return sendBySmtp(provider, request.mail);
    const withApi = provider as AnyEmailProvider & { api: typeof provider.api };
    return sendByApi(withApi, request.mail, { timeout: MAIL_TIMEOUT_MS, signal });
  };

  return async (ctx, request) => {
    const { provider, kernel } = ctx;
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      timeout.abort(new Error(`no response within ${MAIL_TIMEOUT_MS} ms`));
    }, MAIL_TIMEOUT_MS);
    try {
      // Not aborted with the request: a visitor who closes the page early still gets a working link.
      await raceSignal(deliver(ctx, request, timeout.signal), timeout.signal);
    } catch (error) {
      const { token, url, identifier, code } = request;
      const codes = code === undefined ? [] : [code, spaceCode(code)];
      const secrets = [url, encodeURIComponent(url), token, identifier, provider.apiKey, ...codes];
      throw toSendError(error, provider.id, [...secrets, ...[kernel.config.secret].flat()]);
    } finally {
      clearTimeout(timer);
    }
  };
}
