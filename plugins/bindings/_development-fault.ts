import { html, toHtml, wantsPage } from "../../src/_kit.ts";
import { MissingRequest } from "../../src/errors.ts";
import type { Auth } from "../../src/kernel.ts";

const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
const HINT = "This text is shown in development only. The log has it too.";

function findFault(auth: Pick<Auth, "inspect">): string | undefined {
  try {
    auth.inspect();
    return undefined;
  } catch (error) {
    // A configuration that is a function is read with a request only.
    return error instanceof MissingRequest ? undefined : String(error);
  }
}

/**
 * Returns what keeps an application from starting, as the response of a development server; `undefined` where it starts.
 * What it sends elsewhere states no reason.
 */
export function explainFault(auth: Pick<Auth, "inspect">, request: Request): Response | undefined {
  const fault = findFault(auth);
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
