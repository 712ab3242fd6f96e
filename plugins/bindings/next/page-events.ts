import { forbidCaching, serializeCookie } from "../../../src/_kit.ts";
import type { Connection, RequestEvent } from "../../../src/kernel.ts";
import { ResponseHeaders } from "../_response-headers.ts";
import { getConnection, type NodeHandler } from "../node.ts";
import { isSetByProxy, PROXY_COOKIES } from "./cookies.ts";
import type { PageRequest, PageResponse } from "./types.ts";
import { createWaitUntil } from "./wait-until.ts";

// The application passes Node requests and responses.
type NodeParts = Parameters<NodeHandler>;

// Uses `headers` instead of the client's raw headers, because Next.js changes `headers` for its proxy. The session
// needs no body.
function toRequest({ headers, url = "/" }: PageRequest): Request {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith(":") ? [] : [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const target = `http://${headers.host?.toString() ?? "localhost"}${url}`;
  return new Request(URL.canParse(target) ? target : "http://localhost/", {
    headers: new Headers(entries),
  });
}

/** Creates the function that returns the event of a Pages router request. */
export function createPageEvents(): (req: PageRequest, res: PageResponse) => RequestEvent {
  const events = new WeakMap<PageRequest, RequestEvent>();
  return (req, res) => {
    const known = events.get(req);
    if (known) return known;
    const { ip }: Connection = getConnection(req as NodeParts[0]);
    const renewed = req.headers[PROXY_COOKIES]?.toString();
    const headers = new ResponseHeaders(res);
    const event: RequestEvent = {
      req: Object.assign(toRequest(req), { ip, waitUntil: createWaitUntil() }),
      res: {
        cookies: {
          set(name, value, attributes) {
            if (isSetByProxy(renewed, name)) return;
            headers.append("set-cookie", serializeCookie({ name, value, attributes }));
          },
          forbidCaching: () => forbidCaching(headers),
        },
      },
    };
    events.set(req, event);
    return event;
  };
}
