import { html, toHtml, wantsPage } from "../../src/_kit.ts";
import { ConfigError, MissingRequest } from "../../src/errors.ts";
import type { Auth } from "../../src/kernel.ts";

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
const HINT = "This text is shown in development only. The log has it too.";

type FaultyAuth = Pick<Auth, "inspect" | "getSession">;

async function findFault(auth: FaultyAuth, request: Request): Promise<string | undefined> {
  try {
    auth.inspect();
    return undefined;
  } catch (error) {
    if (!(error instanceof MissingRequest)) return String(error);
  }
  // A configuration that is a function can be read only during a request.
  return auth.getSession(request).then(
    () => undefined,
    (error: unknown) => (error instanceof ConfigError ? String(error) : undefined),
  );
}

/**
 * Resolves to the fault that keeps an application from starting, as the response of a development server, or to
 * `undefined` if it starts. Outside of development, responses do not contain the reason.
 */
export async function explainFault(
  auth: FaultyAuth,
  request: Request,
): Promise<Response | undefined> {
  const fault = await findFault(auth, request);
  if (fault === undefined) return undefined;
  if (!wantsPage(request))
    return Response.json({ message: fault }, { status: 500, headers: HEADERS });
  const body = html`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Keyhook</title>
<h1>Keyhook could not start</h1><pre style="white-space:pre-wrap">${fault}</pre><p>${HINT}</p></html>`;
  return new Response(toHtml(body), {
    status: 500,
    headers: { ...HEADERS, "content-type": "text/html; charset=utf-8" },
  });
}
