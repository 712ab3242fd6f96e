import { beforeAll, describe, expect, it } from "vitest";
import { createAuth } from "../../presets/standard.ts";
import { type RecordedResponse, visitSite } from "../../src/testing/binding/visit.ts";
import { credentials, ORIGIN } from "../_app.ts";
import { buildConfig } from "./_suite.ts";

describe("the reference responses for every binding", () => {
  let recorded: Map<string, RecordedResponse>;
  const at = (step: string) => recorded.get(step) as RecordedResponse;

  beforeAll(async () => {
    const authorize = ({ username = "", password }: Record<string, string | undefined>) =>
      password === "right" ? { id: username, name: username } : null;
    const { fetch } = createAuth(buildConfig({ providers: [credentials({ authorize })] }));
    recorded = await visitSite({ origin: ORIGIN, fetch });
  });

  it("GET /session without a cookie returns null", () => {
    expect(at("the session before the sign-in")).toMatchObject({
      status: 200,
      body: "null",
      cookies: [],
    });
    expect(at("the session before the sign-in").headers["cache-control"]).toContain("no-store");
  });

  it("GET /providers lists the providers at the public origin", () => {
    expect(JSON.parse(at("providers").body)).toEqual({
      credentials: {
        id: "credentials",
        name: "Credentials",
        type: "credentials",
        signinUrl: "http://HOST/auth/signin/credentials",
        callbackUrl: "http://HOST/auth/callback/credentials",
        direct: true,
      },
    });
  });

  it("GET /csrf returns a token and sets its cookie", () => {
    expect(at("the CSRF token").body).toBe('{"csrfToken":"HEX"}');
    expect(at("the CSRF token").cookies).toEqual([
      "authjs.csrf-token=HEX%7CHEX; Path=/; HttpOnly; SameSite=Lax",
    ]);
  });

  it.each(["the sign-in page", "the sign-out page", "the error page", "the verify-request page"])(
    "renders %s",
    (page) => {
      expect(at(page).headers["content-type"]).toBe("text/html; charset=utf-8");
      expect(at(page).headers["content-security-policy"]).toContain("default-src 'none'");
      expect(at(page).body).toContain("<!DOCTYPE html>");
      expect(at(page).status).toBe(page === "the error page" ? 403 : 200);
    },
  );

  it("POST /callback/credentials without a CSRF token redirects with error=MissingCSRF", () => {
    expect(at("a sign-in without the CSRF token").status).toBe(302);
    expect(at("a sign-in without the CSRF token").headers.location).toBe(
      "http://HOST/auth/signin?error=MissingCSRF",
    );
    expect(at("a sign-in without the CSRF token").cookies).toEqual([]);
  });

  it("POST /callback/credentials with a wrong password redirects with an error and keeps the target", () => {
    const { status, headers, cookies } = at("a sign-in with the wrong password");
    expect(status).toBe(302);
    expect(headers.location).toBe(
      "http://HOST/auth/signin?error=CredentialsSignin&code=credentials",
    );
    expect(cookies).toEqual([
      "authjs.callback-url=http%3A%2F%2FHOST%2Finside%3Fx%3D1; Path=/; HttpOnly; SameSite=Lax",
    ]);
  });

  it("POST /callback/credentials with the right password starts a session", () => {
    const { status, headers, cookies } = at("a sign-in");
    expect([status, headers.location]).toEqual([302, "http://HOST/inside?x=1"]);
    expect(cookies).toEqual([
      "authjs.session-token=JWE; Path=/; DATE; HttpOnly; SameSite=Lax",
      "authjs.csrf-token=HEX%7CHEX; Path=/; HttpOnly; SameSite=Lax",
    ]);
    expect(JSON.parse(at("the session").body)).toEqual({
      user: { name: "user-0" },
      expires: "DATE",
    });
  });

  it("sends several cookies in separate Set-Cookie headers", () => {
    expect(at("a sign-in by a script").cookies).toHaveLength(2);
    expect(at("a sign-out by a script").cookies).toHaveLength(2);
    expect(at("a sign-out with a multipart body").cookies.map((one) => one.split("=")[0])).toEqual([
      "authjs.callback-url",
      "authjs.session-token",
      "authjs.csrf-token",
    ]);
  });

  it("POST /session updates the session from a JSON body", () => {
    expect(at("an update of the session").status).toBe(200);
    expect(JSON.parse(at("an update of the session").body)).toMatchObject({
      user: { name: "Countess" },
    });
    expect(JSON.parse(at("the updated session").body)).toMatchObject({
      user: { name: "Countess" },
    });
    expect(at("an update without the CSRF token").status).toBe(403);
    expect(JSON.parse(at("an update without the CSRF token").body)).toMatchObject({
      error: "MissingCSRF",
    });
  });

  it("POST /signout ends the session", () => {
    expect(at("a sign-out by a script").body).toBe('{"url":"http://HOST/inside?x=1"}');
    expect(at("a sign-out by a script").cookies[0]).toContain("authjs.session-token=; Max-Age=0");
    expect(at("the session after the sign-out").body).toBe("null");
    expect(at("the session after the second sign-out").body).toBe("null");
  });

  it("returns JSON instead of a redirect for x-auth-return-redirect", () => {
    expect(at("a sign-in by a script")).toMatchObject({
      status: 200,
      body: '{"url":"http://HOST/inside?x=1"}',
    });
  });

  it("refuses several form fields with the same name", () => {
    expect(at("a sign-in with two passwords").cookies.join()).not.toContain("session-token=JWE");
    expect(at("a sign-in with two passwords").headers.location ?? "").not.toBe("http://HOST/");
  });

  it("HEAD /session returns the headers of GET without its body", () => {
    expect(at("HEAD to the session route")).toEqual({
      ...at("the session before the sign-in"),
      body: "",
    });
  });

  it("unknown actions and providers get 404 or an error redirect", () => {
    expect(at("an unknown path, requested by a script").status).toBe(404);
    expect(at("an unknown path").body).toContain("<!DOCTYPE html>");
    expect(at("an unknown provider").headers.location).toBe(
      "http://HOST/auth/error?error=Configuration",
    );
  });

  it.each(["PUT", "DELETE", "OPTIONS", "PATCH"])("%s /session returns 405", (method) => {
    const { status, headers } = at(`${method} to the session route`);
    expect(status).toBe(405);
    expect(headers.allow).toBe("GET, HEAD, POST");
  });

  it("rejects a body larger than 64 kB and malformed JSON", () => {
    expect([400, 413]).toContain(at("a body that is too large").status);
    expect(at("malformed JSON").status).toBe(400);
    expect(at("a request after the refused ones").status).toBe(200);
  });
});
