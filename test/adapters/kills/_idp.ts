import { createHash, randomUUID } from "node:crypto";

/** A user known to the identity provider or to the application itself. */
export interface Person {
  sub: string;
  name: string;
  email?: string;
  email_verified?: boolean;
}

export const IDP = "https://idp.example";
export const CLIENT_SECRET = "the-client-secret-of-the-provider";

/**
 * An identity provider whose users always consent. A code works once, for the client that requested
 * it (PKCE).
 */
export interface Idp {
  /** Consents, and returns the path on the application's side that this redirects to. */
  authorize(location: string, person: Person): string;
  fetch: typeof fetch;
}

/** Creates the provider. `secret` receives texts that must not appear anywhere else. */
export function createIdp(secret: (text: string) => void): Idp {
  const codes = new Map<string, { person: Person; challenge: string | null }>();
  const people = new Map<string, Person>();

  const token = (body: URLSearchParams): Response => {
    const code = codes.get(body.get("code") ?? "");
    const verifier = body.get("code_verifier") ?? "";
    secret(verifier);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    codes.delete(body.get("code") ?? "");
    if (code?.challenge !== challenge) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    const access = randomUUID();
    people.set(access, code.person);
    return Response.json({ access_token: access, token_type: "bearer", expires_in: 3600 });
  };

  return {
    authorize(location, person) {
      const { searchParams } = new URL(location);
      const code = randomUUID();
      secret(code);
      codes.set(code, { person, challenge: searchParams.get("code_challenge") });
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      return back.pathname + back.search;
    },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.url === `${IDP}/token`) return token(new URLSearchParams(await request.text()));
      const access = request.headers.get("authorization")?.replace(/^bearer /i, "") ?? "";
      return Response.json(people.get(access) ?? {});
    },
  };
}
