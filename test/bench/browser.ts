/** A request handler. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** Builds a POST from the page's own origin, with fields of a form, or an object as JSON. */
export function post(url: string, body: URLSearchParams | object, cookie = ""): Request {
  const isForm = body instanceof URLSearchParams;
  return new Request(url, {
    method: "POST",
    headers: {
      accept: "text/html",
      origin: new URL(url).origin,
      ...(cookie && { cookie }),
      ...(!isForm && { "content-type": "application/json" }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
}

/**
 * Creates a minimal browser: it keeps cookies, follows no redirect, and costs every side the same.
 */
export function browse(fetch: Fetch, origin: string) {
  const jar = new Map<string, string>();
  return async (path: string, body?: URLSearchParams | object): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { accept: "text/html", ...(cookie && { cookie }) };
    const response = await fetch(
      body ? post(origin + path, body, cookie) : new Request(origin + path, { headers }),
    );
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";", 1);
      const at = pair.indexOf("=");
      if (/max-age=0/i.test(set)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  };
}
