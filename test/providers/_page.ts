import { readFileSync } from "node:fs";
import ts from "typescript";
import type { ProviderBase } from "../../src/kernel.ts";
import type { AnyProvider } from "./_provider.ts";

/** The text of a provider's module: the doc comments that its page repeats. */
interface Source {
  /** Paragraphs after the sentences about the callback and the environment. */
  about: string[];
  unsure?: string | undefined;
  see?: string | undefined;
  /** A description of the profile, and its members. */
  profile?: { about: string; members: string[] };
  /** The provider's own options. */
  options: { name: string; about: string; isRequired: boolean }[];
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

function readComment(node: ts.Node): { text: string; see?: string } {
  const [doc] = ts.getJSDocCommentsAndTags(node) as ts.JSDoc[];
  const text = ts.getTextOfJSDocComment(doc?.comment) ?? "";
  const [tag] = doc?.tags ?? [];
  const see =
    tag &&
    oneLine(
      tag
        .getText()
        .replace(/^@see/, "")
        .replaceAll(/^\s*\*/gm, ""),
    );
  return { text, ...(see && { see }) };
}

function readSource(file: string): Source {
  const tree = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const source: Source = { about: [], options: [] };
  for (const node of tree.statements) {
    if (ts.isInterfaceDeclaration(node)) {
      const members = node.members.filter(ts.isPropertySignature);
      if (node.name.text.endsWith("Options")) {
        source.options = members.map((member) => ({
          name: member.name.getText(),
          about: oneLine(readComment(member).text),
          isRequired: member.questionToken === undefined,
        }));
      }
      if (node.name.text.endsWith("Profile")) {
        const about = oneLine(readComment(node).text);
        source.profile = { about, members: members.map(({ name }) => name.getText()) };
      }
    }
    const isStatement = ts.isVariableStatement(node) || ts.isFunctionDeclaration(node);
    const isPlugin = isStatement && /\w+Plugin\b/.test(node.getText());
    if (!isPlugin) continue;
    const { text, see } = readComment(node);
    const paragraphs = text
      .split(/\n\s*\n/)
      .map(oneLine)
      .filter(Boolean);
    source.unsure = paragraphs.find((one) => one.startsWith("Unsure: "))?.slice("Unsure: ".length);
    source.about = paragraphs
      .filter((one) => !one.startsWith("Unsure: "))
      .map((one) => one.replace(/^Adds sign-in.*? The callback is [^.]*?(?=`)`[^`]*`\. /, ""));
    source.see = see;
  }
  return source;
}

const code = (text: string) => `\`${text}\``;
const listed = (names: readonly string[]) => names.map(code).join(", ");

function describeAddress(provider: AnyProvider): string {
  if (provider.emailVerified === undefined) {
    return provider.type === "oidc"
      ? "as the claim `email_verified` says"
      : "as `email_verified` says, if the profile has it; otherwise not known";
  }
  return provider.emailVerified({} as never, "ada@keyhook.dev") === false
    ? "never"
    : "as the service says";
}

function describeProfile({ type, idToken, userinfo }: AnyProvider): string {
  if (userinfo?.from === "tokens") return "the token response";
  if (userinfo?.from === "access_token") return "the access token, whose signature is verified";
  if (type === "oidc" && idToken !== false) return "the ID token, whose signature is verified";
  return "the userinfo endpoint";
}

/** Returns the rows about how the flow handles an OAuth or OpenID Connect provider. */
function listFacts(provider: AnyProvider): [name: string, value: string][] {
  const { authorization, token, userinfo, client, checks, enrich = [] } = provider;
  const { scope } = (authorization?.params ?? {}) as { scope?: string };
  const isOidc = provider.type === "oidc";
  const asked = scope ?? (isOidc ? "openid profile email" : "");
  const method = client?.token_endpoint_auth_method;
  const rows: [string, string | undefined][] = [
    ["Scopes that are asked for", asked ? listed(asked.split(/[ ,]/)) : "none"],
    [
      "Checks",
      checks
        ? listed(checks)
        : isOidc
          ? "`pkce`; `state` and `nonce` where the metadata does not offer it"
          : "`pkce`, `state`",
    ],
    [
      "Client authentication",
      method
        ? code(method)
        : isOidc
          ? "as the metadata says, else `client_secret_basic`"
          : "`client_secret_basic`",
    ],
    [
      provider.settings?.issuer ? "Issuer, such as" : "Issuer",
      provider.issuer && code(provider.issuer),
    ],
    ["Metadata", provider.wellKnown && code(provider.wellKnown)],
    ["Authorization", authorization?.url && code(authorization.url)],
    ["Token", token?.url && code(token.url)],
    [
      "Profile",
      userinfo?.url
        ? `${userinfo.method ?? "GET"} ${code(userinfo.url)}`
        : describeProfile(provider),
    ],
    ["Further requests", enrich.length ? enrich.map(({ url }) => code(url)).join(", ") : undefined],
    ["The address is verified", describeAddress(provider)],
    ["Parameters that a sign-in may add", authorization?.allow && listed(authorization.allow)],
  ];
  return rows.filter((row): row is [string, string] => Boolean(row[1]));
}

function table(rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = escaped[0]!.map((_, at) => Math.max(3, ...escaped.map((row) => row[at]!.length)));
  const [head = [], ...rest] = escaped.map((row) =>
    row.map((cell, at) => cell.padEnd(widths[at]!)),
  );
  return [head, widths.map((width) => "-".repeat(width)), ...rest]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}

function listVariables(provider: AnyProvider, about: readonly string[]): string[] {
  const prefix = `AUTH_${provider.id.toUpperCase().replaceAll("-", "_")}`;
  const text = about.join(" ");
  return ["ID", "SECRET", "ISSUER", "KEY"]
    .filter((suffix) => new RegExp(`\`(?:${prefix})?_${suffix}\``).test(text))
    .filter((suffix) => !text.includes(`needs no \`_${suffix}\``))
    .map((suffix) => `${prefix}_${suffix}`);
}

const FROM = 'from: "Example <hello@example.com>"';

// Arguments that a provider requires although its type does not show it, or that have no text.
const ARGUMENTS: Readonly<Record<string, string>> = {
  credentials:
    '{\n    credentials: { username: {}, password: { type: "password" } },\n' +
    "    // The user whose password is right, or null. Compare with a hash.\n" +
    "    authorize: async ({ username, password }) => null,\n  }",
  email: `{ server: "smtp://localhost:25", ${FROM} }`,
  "http-email": `{ url: "https://api.example.com/emails", ${FROM} }`,
  loops: '{ transactionalId: "..." }',
  nodemailer: `{ server: "smtp://localhost:25", ${FROM} }`,
  outbox: "",
};

// Links and passkeys need stored users.
function buildExample(id: string, type: string, plugin: string): string[] {
  const isStored = type === "email" || type === "webauthn";
  const name = plugin.slice(0, plugin.indexOf("("));
  const options = type === "webauthn" ? "{ experimental: { enableWebAuthn: true } }" : "";
  const stores = ['  .use(sqliteStore("auth.sqlite"))', "  .use(storeAdapter())"];
  return [
    'import createAuth from "keyhook";',
    ...(isStored ? ['import { storeAdapter } from "keyhook/adapters/store";'] : []),
    `import { ${name} } from "keyhook/providers/${id}";`,
    ...(isStored ? ['import { sqliteStore } from "keyhook/stores/sqlite";'] : []),
    "",
    ...(isStored
      ? [`export const auth = createAuth(${options})`, ...stores, `  .use(${plugin});`]
      : plugin.includes("\n")
        ? ["export const auth = createAuth().use(", `  ${plugin},`, ");"]
        : [`export const auth = createAuth().use(${plugin});`]),
  ];
}

/**
 * Returns the page of a provider: what to register, what to set, and what the flow does.
 * @param file The path of its module.
 * @param provider The provider, resolved with its required options.
 */
export function buildPage(
  file: string,
  plugin: string,
  provider: ProviderBase,
  required: Readonly<Record<string, unknown>>,
): string {
  const { id, name, type } = provider;
  const { about, unsure, see, profile, options } = readSource(file);
  const oauth = provider as unknown as AnyProvider;
  const isOAuth = type === "oauth" || type === "oidc";
  const { retired, deprecated } = oauth;
  const lines = [
    `# ${name}`,
    "",
    ...(retired ? [`**It cannot be used.** ${retired}`, ""] : []),
    ...(deprecated ? [`**Deprecated.** ${deprecated}`, ""] : []),
    ...about.flatMap((one) => [one, ""]),
    ...(unsure ? [`Unsure: ${unsure}`, ""] : []),
  ];
  if (retired) return `${lines.join("\n").trimEnd()}\n`;
  const variables = listVariables(oauth, about);
  const setVariables = ["```sh", ...variables.map((one) => `${one}=...`), "```", ""];
  if (isOAuth) {
    const at = see ? ` ([documentation](${see}))` : "";
    lines.push(
      `Register an application with the service${at}, with the callback URL (\`/api/auth\` in place of \`/auth\` with Next.js):`,
      "",
      "```",
      `<public URL>/auth/callback/${id}`,
      "```",
      "",
    );
  }
  if (variables.length) lines.push(...setVariables);
  const own = Object.entries(required).filter(([key]) => key !== "issuer" && key !== "apiKey");
  const texts = new Map(own.map(([key, value]) => [key, JSON.stringify(value)]));
  for (const one of options)
    if (one.isRequired && !texts.has(one.name)) texts.set(one.name, '"..."');
  const given = [...texts].map(([key, value]) => `${key}: ${value}`).join(", ");
  const args = ARGUMENTS[id] ?? (type === "email" ? `{ ${FROM} }` : given && `{ ${given} }`);
  lines.push("```ts", ...buildExample(id, type, `${plugin}(${args})`), "```", "");
  if (isOAuth) lines.push(table([["", `Type \`${type}\``], ...listFacts(oauth)]), "");
  if (options.length) {
    const rows = options.map((one) => [code(one.name), one.isRequired ? "yes" : "", one.about]);
    lines.push(table([["Option", "Required", "Is"], ...rows]), "");
  }
  if (profile) lines.push(`${profile.about} Members: ${listed(profile.members)}.`, "");
  return `${lines.join("\n").trimEnd()}\n`;
}
