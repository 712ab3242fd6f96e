/** What answers requests. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** The least of a browser: it keeps cookies, follows nothing, and costs every side the same. */
export function browse(fetch: Fetch, origin: string) {
  const jar = new Map<string, string>();
  return async (path: string, form?: Record<string, string>): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const request = new Request(new URL(path, origin), {
      headers: { accept: "text/html", origin, ...(cookie && { cookie }) },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    const response = await fetch(request);
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";", 1);
      const at = pair.indexOf("=");
      if (/max-age=0/i.test(set)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  };
}
