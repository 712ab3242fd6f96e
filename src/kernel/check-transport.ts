import { InvalidConfig } from "../errors/errors.ts";
import type { Reporter } from "../errors/report.ts";
import { isLoopback, isPublicHost } from "../http/origin.ts";

/** What a configuration sets about the connection between browser and server. */
export interface Transport {
  production: boolean;
  /** The public URL, and the variable that sets it. */
  url: URL | undefined;
  urlVariable: string;
  useSecureCookies: boolean | undefined;
  redirectProxyUrl: URL | undefined;
}

/** Warns about cookies that browsers do not keep. `origin` is the http origin, or the variable that sets it. */
export function warnOfDroppedCookies(logger: Reporter["logger"], origin: string): void {
  logger.warn(
    "cookies-not-accepted",
    `\`useSecureCookies: true\` with the http origin ${origin}: browsers drop the cookies. Drop the option, or use https.`,
  );
}

function isPlainPublic(url: URL | undefined): boolean {
  return url?.protocol === "http:" && isPublicHost(url);
}

/**
 * Reports settings that would send cookies, codes or links over a public network without TLS, or set cookies that
 * browsers do not keep. `useSecureCookies: false` declares plain http as intended, and turns the refusal of an http
 * origin into a warning.
 */
export function checkTransport(transport: Transport, { logger, report }: Reporter): void {
  const { production, url, urlVariable, useSecureCookies, redirectProxyUrl } = transport;
  const isPlain = useSecureCookies === false;
  if (isPlainPublic(redirectProxyUrl)) {
    report(
      new InvalidConfig(
        "`redirectProxyUrl` is plain http: anyone on the network can read the codes it receives. Use https.",
      ),
    );
  }
  if (useSecureCookies && url?.protocol === "http:") {
    warnOfDroppedCookies(logger, `of ${urlVariable}`);
  }
  if (!production) return;
  if (url && isLoopback(url)) {
    logger.warn(
      "env-url-loopback",
      `${urlVariable} is ${url.origin}: callbacks and mailed links send all visitors to their own machine. Set it to ` +
        "the public URL.",
    );
  }
  if (isPlain && url?.protocol === "https:") {
    report(
      new InvalidConfig(
        `\`useSecureCookies: false\` with the https origin of ${urlVariable}: browsers would also send the session ` +
          "over plain http. Drop the option.",
      ),
    );
  }
  if (isPlain && !url) {
    logger.warn(
      "cookies-not-secure",
      "`useSecureCookies: false`: browsers also send the session over plain http. Drop the option, unless the " +
        "origin is not https.",
    );
  }
  if (!isPlainPublic(url)) return;
  const text = `${urlVariable} is plain http on a public host: anyone on the network can read sessions.`;
  if (isPlain) logger.warn("origin-not-secure", `${text} Use https.`);
  else {
    report(
      new InvalidConfig(
        `${text} Set it to the https URL, or set \`useSecureCookies: false\` if this is intended.`,
      ),
    );
  }
}
