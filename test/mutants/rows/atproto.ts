import type { Mutants } from "../_mutant.ts";

const TESTS = ["test/flows/atproto.test.ts", "test/attack/atproto.test.ts"];

export const ATPROTO: readonly Mutants[] = [
  {
    file: "plugins/flows/atproto/network.ts",
    tests: TESTS,
    edits: [
      ["a server is requested over http", `protocol !== "https:" || `, ""],
      ["a server is requested at any port", "|| port ", ""],
      ["a URL may have credentials", "|| username || password", ""],
      ["a server may be an IP address", "isName && isPublicHost(url)", "isPublicHost(url)"],
      ["a server may be in the internal network", "isName && isPublicHost(url)", "isName"],
      ["an origin may have a path", "url.href === `${url.origin}/`", "url.href !== ``"],
      ["a response has any size", "maxBytes: MAX_BYTES ", "maxBytes: Infinity "],
    ],
  },
  {
    file: "plugins/flows/atproto/identifier.ts",
    tests: TESTS,
    edits: [
      ["a reserved name is a handle", "!RESERVED.includes(last)", "last !== ``"],
      ["a name has one label", "labels.length > 1", "labels.length > 0"],
      ["did:plc has any id", "[a-z2-7]{24}$/", ".*$/"],
      ["did:web has any host", "return isName(host) ? text", "return host ? text"],
      ["invisible characters are part of a handle", `.replaceAll(/\\p{C}/gu, "")`, ""],
    ],
  },
  {
    file: "plugins/flows/atproto/account.ts",
    tests: TESTS,
    edits: [
      ["one of two DNS records is accepted", "found.size > 1", "found.size > 2"],
      [
        "a broken DNS record counts as missing",
        "return recorded || undefined;",
        "if (recorded) return recorded;",
      ],
      [
        "a failing DNS look-up counts as a missing record",
        "|| !RESOLVED.includes(status as number) ",
        "",
      ],
      ["a record of another type is accepted", "type !== TXT || ", ""],
      ["a DID document of another DID is accepted", "document.id !== did", `document.id === ""`],
      [
        "a DID document with an error is accepted",
        "response.status !== 200) throw",
        "response.status === 0) throw",
      ],
      [
        "a handle is accepted that the DID document does not name",
        "if (findHandle(document) !== handle) {",
        "if (!handle) {",
      ],
      [
        "a handle is accepted that does not resolve to the DID",
        "handle: named === did ? handle : null",
        "handle: named ? handle : null",
      ],
      [
        "a service of another type is used as the server",
        `type === "AtprotoPersonalDataServer",`,
        "type !== ``,",
      ],
    ],
  },
  {
    file: "plugins/flows/atproto/server.ts",
    tests: TESTS,
    edits: [
      [
        "a server makes the application post to any public host",
        "url !== undefined && (url.host === host || url.host.endsWith(`.${host}`))",
        "url !== undefined && host !== ''",
      ],
      [
        "a host that ends in the server's name counts as the server's subdomain",
        "url.host.endsWith(`.${host}`)",
        "url.host.endsWith(host)",
      ],
      [
        "the metadata of another resource is accepted",
        "if (resource !== origin && resource !== `${origin}/`) {",
        "if (!resource) {",
      ],
      ["the first of two authorization servers is used", "servers.length === 1 && ", ""],
      [
        "the metadata of another issuer is accepted",
        "metadata.issuer !== issuer",
        "!metadata.issuer",
      ],
      ["one entry of a list is enough", "entries.every(", "entries.some("],
      ["a text counts as a list", "Array.isArray(list) && entries", "list && entries"],
      ["a flag that is text counts as true", "metadata[name] !== true", "!metadata[name]"],
      ["a server may accept unsigned client assertions", `["none"])) {`, `["never"])) {`],
      [
        "the registration of request URIs is optional",
        "metadata.require_request_uri_registration === false",
        "metadata.require_request_uri_registration === 0",
      ],
      [
        "endpoints may be at any host",
        "!parsePublicUrl(metadata.authorization_endpoint)",
        "!metadata.authorization_endpoint",
      ],
    ],
  },
  {
    file: "plugins/flows/atproto/oauth.ts",
    tests: TESTS,
    edits: [
      [
        "a server without nonces is accepted",
        "if (known.has(origin) || !response.ok) return response;",
        "if (url) return response;",
      ],
      [
        "new nonces are requested without end",
        "return attempt();",
        "return retryWithNonce(attempt);",
      ],
      ["no nonce is requested", "if (!isDPoPNonceError(error)) throw error;", "throw error;"],
      [
        "the issuer of a response may be missing",
        "authorization_response_iss_parameter_supported: true",
        "authorization_response_iss_parameter_supported: false",
      ],
      [
        "any issuer of a response is accepted",
        "const server = { issuer,",
        "const server = { issuer: params.get(`iss`) ?? issuer,",
      ],
      ["a token is bound to no key", `if (type !== "dpop")`, `if (!type)`],
      ["a token may have any scope", `!scopes.includes("atproto")`, "!scopes"],
      [
        "a confidential client does not sign",
        "if (!key) return None();",
        "if (!key?.y) return None();\n  return None();",
      ],
    ],
  },
  {
    file: "plugins/flows/atproto/request.ts",
    tests: TESTS,
    edits: [
      [
        "the secrets of another attempt are used",
        `timingSafeEqual(check.attempt ?? "", attempt)`,
        "check.attempt !== undefined",
      ],
    ],
  },
  {
    file: "plugins/flows/atproto/finish.ts",
    tests: TESTS,
    edits: [
      [
        "another account than the typed one is accepted",
        "if (account.did === did) return account;",
        "return account;",
      ],
      [
        "the account that was typed is not compared",
        "if (account.did === did) return account;\n    throw new AuthError(",
        "if (account.did) return { ...account, did };\n    throw new AuthError(",
      ],
      [
        "a server signs in the accounts of other servers",
        "(await findAccountIssuer(found.pds, network)) === issuer",
        "(await findAccountIssuer(found.pds, network)) !== ``",
      ],
      [
        "an account may be any text",
        "const did = parseDid(sub);",
        "const did: string | undefined = sub;",
      ],
    ],
  },
  {
    file: "plugins/flows/atproto/profile.ts",
    tests: TESTS,
    edits: [
      [
        "an address is verified that any server reports",
        "profile.emailConfirmed === true && isListedOrigin(new URL(profile.pds), trustedServers)",
        "profile.emailConfirmed === true || trustedServers.length < 0",
      ],
      [
        "an address is verified that the server has not verified",
        "profile.emailConfirmed === true && isListed",
        "isListed",
      ],
      ["the session of another account is accepted", "session.did !== did", "session.did === ``"],
      ["the profile of another account is accepted", "found.did !== did", "found.did === ``"],
      ["an address is requested without its scope", "scopes.includes(scope)", "scope"],
    ],
  },
  {
    file: "plugins/flows/atproto/client.ts",
    tests: TESTS,
    edits: [
      ["the private key is published", "return { kty, crv, x, y, kid:", "return { ...key, kid:"],
      ["a client id may have any port", "&& !port ", ""],
      ["a client id may be in a private network", "isPublicHost(url) && ", ""],
      [
        "a client on this machine has a metadata document",
        "if (isLoopback(new URL(origin))) {",
        "if (origin === ``) {",
      ],
    ],
  },
];
