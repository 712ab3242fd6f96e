import { expect } from "vitest";

/** Values in Steam's responses. */
export const NAMESPACE = "http://specs.openid.net/auth/2.0";
export const ENDPOINT = "https://steamcommunity.com/openid/login";
export const KEY = "0123456789ABCDEF-KEY";
export const SIGNED =
  "signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle";
export const ID = "76561197960287930";

export type Fields = Record<string, string>;

function toKey(fields: Fields): string {
  const sorted = new URLSearchParams(fields);
  sorted.sort();
  return sorted.toString();
}

/** Creates Steam with its two services. It remembers the responses that it made. */
export function createSteam() {
  const made = new Set<string>();
  const requests: { url: string; method: string }[] = [];
  const steam = {
    /** Text and status of the response to `check_authentication`. */
    verdict: (isMade: boolean) => `ns:${NAMESPACE}\nis_valid:${isMade}\n`,
    status: 200,
    player: { steamid: ID, personaname: "Ada", avatarfull: "https://avatars.example/ada.jpg" } as
      | object
      | undefined,
    requests,
    /** Responds to the request that the browser was redirected to. */
    respond(request: URL, over: Fields = {}): Fields {
      const claimed = `https://steamcommunity.com/openid/id/${ID}`;
      const fields: Fields = {
        "openid.ns": NAMESPACE,
        "openid.mode": "id_res",
        "openid.op_endpoint": ENDPOINT,
        "openid.claimed_id": claimed,
        "openid.identity": claimed,
        "openid.return_to": request.searchParams.get("openid.return_to") ?? "",
        "openid.response_nonce": `${new Date().toISOString().slice(0, 19)}Z${made.size}unique`,
        "openid.assoc_handle": "1234567890",
        "openid.signed": SIGNED,
        "openid.sig": "c2lnbmF0dXJl",
        ...over,
      };
      made.add(toKey(fields));
      return fields;
    },
    fetch: (async (input: string, init: RequestInit = {}) => {
      requests.push({ url: input, method: init.method ?? "GET" });
      if (!input.startsWith(ENDPOINT)) {
        if (!input.includes(KEY)) return new Response("Forbidden", { status: 403 });
        return Response.json({ response: { players: steam.player ? [steam.player] : [] } });
      }
      const fields = Object.fromEntries(init.body as URLSearchParams);
      expect(fields["openid.mode"]).toBe("check_authentication");
      const key = toKey({ ...fields, "openid.mode": "id_res" });
      return new Response(steam.verdict(made.has(key)), { status: steam.status });
    }) as typeof fetch,
  };
  return steam;
}
