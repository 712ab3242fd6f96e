import type { Mutants } from "../_mutant.ts";

const TESTS = ["test/flows/atproto.test.ts", "test/attack/atproto.test.ts"];

export const ATPROTO: readonly Mutants[] = [
  {
    file: "plugins/flows/atproto/network.ts",
    tests: TESTS,
    edits: [
      ["a server is asked over http", `protocol !== "https:" || `, ""],
      ["a server is asked at any port", "|| port ", ""],
      ["a URL may have credentials", "|| username || password", ""],
      ["a server may be an IP address", "isName && isPublicHost(url)", "isPublicHost(url)"],
      ["a server may be one of this network", "isName && isPublicHost(url)", "isName"],
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
      ["characters that are not seen are part of a handle", `.replaceAll(/\\p{C}/gu, "")`, ""],
    ],
  },
  {
    file: "plugins/flows/atproto/account.ts",
    tests: TESTS,
    edits: [
      ["one of two records of DNS counts", "found.size > 1", "found.size > 2"],
      [
        "a broken record of DNS is none",
        "return recorded || undefined;",
        "if (recorded) return recorded;",
      ],
      ["DNS that fails has no record", "|| !RESOLVED.includes(status as number) ", ""],
      ["a record of another type counts", "type !== TXT || ", ""],
      ["a DID document of another DID counts", "document.id !== did", `document.id === ""`],
      [
        "a DID document with an error counts",
        "response.status !== 200) throw",
        "response.status === 0) throw",
      ],
      [
        "a handle counts that the DID document does not name",
        "if (findHandle(document) !== handle) {",
        "if (!handle) {",
      ],
      [
        "a handle counts that does not lead back",
        "handle: named === did ? handle : null",
        "handle: named ? handle : null",
      ],
      [
        "a service of another type is the server",
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
        "a server makes this one post to any public host",
        "url !== undefined && (url.host === host || url.host.endsWith(`.${host}`))",
        "url !== undefined && host !== ''",
      ],
      [
        "a host that ends in the server's name is its own",
        "url.host.endsWith(`.${host}`)",
        "url.host.endsWith(host)",
      ],
      [
        "the metadata of another resource counts",
        "if (resource !== origin && resource !== `${origin}/`) {",
        "if (!resource) {",
      ],
      ["the first of two authorization servers counts", "servers.length === 1 && ", ""],
      ["the metadata of another issuer counts", "metadata.issuer !== issuer", "!metadata.issuer"],
      ["one entry of a list is enough", "entries.every(", "entries.some("],
      ["a text counts as a list", "Array.isArray(list) && entries", "list && entries"],
      ["a flag is true that is a text", "metadata[name] !== true", "!metadata[name]"],
      ["a server may take assertions that nobody signs", `["none"])) {`, `["never"])) {`],
      [
        "request URIs need no registration",
        "metadata.require_request_uri_registration === false",
        "metadata.require_request_uri_registration === 0",
      ],
      [
        "endpoints are anywhere",
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
        "a server without nonces counts",
        "if (known.has(origin) || !response.ok) return response;",
        "if (url) return response;",
      ],
      [
        "another nonce is fetched without end",
        "return attempt();",
        "return retryWithNonce(attempt);",
      ],
      ["no nonce is fetched", "if (!isDPoPNonceError(error)) throw error;", "throw error;"],
      [
        "the issuer of a response may be missing",
        "authorization_response_iss_parameter_supported: true",
        "authorization_response_iss_parameter_supported: false",
      ],
      [
        "the issuer of a response is any",
        "const server = { issuer,",
        "const server = { issuer: params.get(`iss`) ?? issuer,",
      ],
      ["a token is bound to no key", `if (type !== "dpop")`, `if (!type)`],
      ["a token has any scope", `!scopes.includes("atproto")`, "!scopes"],
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
        "another account counts than was typed",
        "if (account.did === did) return account;",
        "return account;",
      ],
      [
        "the account that was typed is not compared",
        "if (account.did === did) return account;\n    throw new AuthError(",
        "if (account.did) return { ...account, did };\n    throw new AuthError(",
      ],
      [
        "a server signs in the accounts of others",
        "(await findAccountIssuer(found.pds, network)) === issuer",
        "(await findAccountIssuer(found.pds, network)) !== ``",
      ],
      [
        "an account is any text",
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
        "an address is verified that any server states",
        "profile.emailConfirmed === true && isListedOrigin(new URL(profile.pds), trustedServers)",
        "profile.emailConfirmed === true || trustedServers.length < 0",
      ],
      [
        "an address is verified that the server has not verified",
        "profile.emailConfirmed === true && isListed",
        "isListed",
      ],
      ["the session of another account counts", "session.did !== did", "session.did === ``"],
      ["the profile of another account counts", "found.did !== did", "found.did === ``"],
      ["an address is asked for without its scope", "scopes.includes(scope)", "scope"],
    ],
  },
  {
    file: "plugins/flows/atproto/client.ts",
    tests: TESTS,
    edits: [
      ["the private key is published", "return { kty, crv, x, y, kid:", "return { ...key, kid:"],
      ["a client is known at any port", "&& !port ", ""],
      ["a client is known in a private network", "isPublicHost(url) && ", ""],
      [
        "a client of this machine has a document",
        "if (isLoopback(new URL(origin))) {",
        "if (origin === ``) {",
      ],
    ],
  },
];
