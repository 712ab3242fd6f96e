import { globSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { isolatedDeclarationSync } from "rolldown/experimental";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { findExportFaults, getEntryPoint } from "../build.config.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Import {
  /** The imported file, as a path from the root, or the package. */
  target: string;
  lazy: boolean;
}

interface Source {
  file: string;
  text: string;
  tree: ts.SourceFile;
  imports: Import[];
}

const sources = globSync("{src,plugins,presets}/**/*.ts", { cwd: root })
  .sort()
  .map((file): Source => {
    const text = readFileSync(root + file, "utf8");
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    return { file, text, tree, imports: listImports(file, tree) };
  });

/** The types that applications and adapters write: editors show the comments where they do. */
const WRITTEN_TYPES = new Set(
  (
    "AuthConfig SessionOptions JWTOptions PagesOptions CallbacksOptions Theme Logger " +
    "SignInParams JWTParams SessionParams EventMessages User DefaultSession Account " +
    "CookieKeys CookieAttributes CookieOption CookieDefaults ProviderStyle CredentialInput " +
    "Adapter AdapterUser AdapterAccount AdapterSession AdapterAuthenticator VerificationToken"
  ).split(" "),
);

const floor = (name: string) => sources.filter(({ file }) => file.startsWith(`${name}/`));
const isFile = (target: string) => /^(src|plugins|presets|test|playground)\//.test(target);
const getPackageName = (target: string) => target.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? target;

function listImports(file: string, tree: ts.SourceFile): Import[] {
  const found: Import[] = [];
  walk(tree, (node) => {
    const isStatic = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    const named = isStatic
      ? node.moduleSpecifier
      : ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
        ? node.argument.literal
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    if (!named || !ts.isStringLiteral(named)) return;
    const target = named.text.startsWith(".")
      ? posix.join(posix.dirname(file), named.text)
      : named.text;
    found.push({ target, lazy: ts.isCallExpression(node) || ts.isImportTypeNode(node) });
  });
  return found;
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Tests whether `target` is a private file of the entry point's folder or of its kind. */
function isOwnFile(file: string, target: string): boolean {
  const [, kind, name = ""] = file.split("/");
  const own = `plugins/${kind}/${name.replace(/\.ts$/, "")}/`;
  return target.startsWith(own) || target.startsWith(`plugins/${kind}/_`);
}

const isPlugin = (file: string) => file.startsWith("plugins/") && getEntryPoint(file) !== undefined;

/** Bindings have no entry points: a binding that runs on another server's requests imports that binding's file. */
const isBinding = (file: string) => /^plugins\/bindings\/[^/]+\.ts$/.test(file);

/** What a plugin's file may import of `src`. Code for browsers only imports the client. */
function isFromSrc(file: string, target: string): boolean {
  if (/^plugins\/(frameworks|bindings\/nuxt\/runtime)\//.test(file))
    return target === "src/client.ts";
  if (file.includes("/browser/")) return target.startsWith("src/client/");
  return ["src/kernel.ts", "src/errors.ts", "src/_kit.ts"].includes(target);
}

/**
 * The folders of `src` in layers, lowest first: a folder imports only from the layers before its
 * own.
 */
const LAYERS = [
  ["platform"],
  ["types"],
  ["errors"],
  ["crypto", "http", "i18n", "page"],
  ["storage"],
  ["hooks"],
  ["kernel"],
  ["request", "jwt"],
  ["signin"],
  ["auth"],
  ["client", "testing"],
  ["cli"],
];
const getLayer = (file: string) =>
  LAYERS.findIndex((names) => names.includes(file.split("/")[1] ?? ""));
const isEntry = (file: string) => file.split("/").length === 2;

function circles(files: readonly Source[]): string[] {
  const byFile = new Map(files.map((source) => [source.file, source]));
  const done = new Set<string>();
  const found = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      found.add([...path.slice(path.indexOf(file)), file].join(" > "));
      return;
    }
    if (done.has(file)) return;
    for (const { target } of byFile.get(file)?.imports ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const { file } of files) visit(file, []);
  return [...found];
}

/** Each package with the only files that may import it. */
const borders: Record<string, RegExp> = {
  tapable: /^src\/hooks\/tapable\.ts$/,
  hookable: /^src\/hooks\/events\.ts$/,
  jose: /^(src\/testing\/identity-provider\/|plugins\/flows\/oauth\/)/,
  oauth4webapi:
    /^plugins\/flows\/(oauth\/(assertion|client-auth|types)|atproto\/(finish|oauth|types))\.ts$/,
  "@simplewebauthn/server": /^plugins\/(flows\/webauthn\/|providers\/(passkey|webauthn)\.ts$)/,
  // Named only by types: Nuxt 4 and Nitro 2 have version 1, in which names of version 2 are
  // missing.
  h3: /^$/,
  nodemailer: /^plugins\/providers\/(nodemailer|email)\.ts$/,
  unstorage: /^plugins\/stores\/unstorage[./]/,
  otpauth: /^plugins\/security\/second-factor\//,
  uqr: /^plugins\/security\/second-factor\//,
  "@opentelemetry/api": /^plugins\/observability\/opentelemetry[./]/,
  fastify: /^plugins\/bindings\/fastify\.ts$/,
  next: /^(plugins\/bindings|presets)\/next[./]/,
  nuxt: /^(plugins\/bindings|presets)\/nuxt[./]/,
  "#app": /^plugins\/bindings\/nuxt\/runtime\//,
  "#imports": /^plugins\/bindings\/nuxt\/runtime\//,
  "#build": /^plugins\/bindings\/nuxt\/runtime\//,
  "@sveltejs/kit": /^(plugins\/bindings|presets)\/sveltekit[./]/,
  $app: /^plugins\/bindings\/sveltekit\//,
  $env: /^plugins\/bindings\/sveltekit\//,
  react: /^plugins\/frameworks\/react[./]/,
  svelte: /^plugins\/frameworks\/svelte[./]/,
  vue: /^plugins\/(frameworks\/vue[./]|bindings\/nuxt\/runtime\/)/,
  citty: /^src\/cli\//,
  jiti: /^src\/cli\//,
};

const EQUALITY = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);

/** Ends of names whose values are secrets. */
const SECRET_NAME = /(?:token|secret|signature|nonce|challenge|password|verifier|digest)\??$/i;

/** Comparisons of a value with itself in effect: the caller has both, or the lookup that finds one hashed it. */
const OWN_SECRETS = ["known?.token === token", "shaped.sessionToken !== token"];

// A comparison with `undefined`, `null` or a number needs no constant time.
function isRuntimeText(node: ts.Node): boolean {
  return !/^(?:undefined|null|true|false|typeof .*|.*\.length|[A-Z_]+)$/s.test(node.getText());
}

/** Contains a minified library. */
const GENERATED_SCRIPT = "plugins/flows/webauthn/browser/script.ts";

/** The part of a file that a fenced word is searched in. */
type Part = "text" | "comments" | "strings";

/**
 * Words that have a better name in the field's English, as comments, messages and identifiers use
 * it. Each entry names the words to write instead.
 */
const FENCED_WORDS: readonly { words: RegExp; where: Part }[] = [
  // namespace, store
  { words: /\bshel(?:f|ves?|ved)\b|\b\w*Shel(?:f|ves)\b/gi, where: "text" },
  // the caller, the user, another user, the attacker, no session
  { words: /\bwhoever\b/gi, where: "text" },
  { words: /\b(?:some|every|any)body\b/gi, where: "text" },
  { words: /\bnobody\b/gi, where: "comments" },
  { words: /\bnewcomers?\b/gi, where: "text" },
  // sign-in methods
  { words: /\bletsIn\b|\bwaysOf\b/g, where: "text" },
  { words: /\bways? in\b(?! which)/gi, where: "comments" },
  // integration, binding
  { words: /\bexport (?:interface|type|class|const) \w*Face\b/g, where: "text" },
  // get…, find…, list…, to…
  { words: /\b(?:function|const) \w+Of\b/g, where: "text" },
  // "is not a valid X"
  {
    words: /(?<!\b[Tt]here )\bis no (?!such\b|longer\b|more\b)(?:valid )?[a-z]\w*/g,
    where: "strings",
  },
  // verified, could not be fetched, merged over, again, concurrently
  { words: /\bvouch(?:e[sd])?\b/gi, where: "comments" },
  { words: /\bcannot be had\b|\blaid over\b|\banew\b|\bmeanwhile\b/gi, where: "text" },
  // documents that are not in the repository
  { words: /\b(?:SPEC|DESIGN|HOUSE)\.md\b|\bBEHAVIOUR\b/g, where: "text" },
];

function listTexts({ text, tree }: Source, where: Part): string[] {
  if (where === "text") return [text];
  if (where === "comments") return listComments(text, tree);
  const found: string[] = [];
  walk(tree, (node) => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node);
    if (isText) found.push(node.text);
  });
  return found;
}

function listComments(text: string, tree: ts.SourceFile): string[] {
  const found = new Map<number, string>();
  const visit = (node: ts.Node): void => {
    for (const list of [
      ts.getLeadingCommentRanges(text, node.getFullStart()),
      ts.getTrailingCommentRanges(text, node.end),
    ]) {
      for (const { pos, end } of list ?? []) found.set(pos, text.slice(pos, end));
    }
    for (const child of node.getChildren(tree)) if (!ts.isJSDoc(child)) visit(child);
  };
  visit(tree);
  return [...found.values()];
}

const declared = new Map<string, ts.SourceFile>();

/** Emits the declarations of one file, as the build does. */
function declare(file: string, text: string): ts.SourceFile {
  const known = declared.get(file);
  if (known) return known;
  const { code } = isolatedDeclarationSync(file, text);
  const tree = ts.createSourceFile(file, code, ts.ScriptTarget.Latest);
  declared.set(file, tree);
  return tree;
}

function findDefaultExport(tree: ts.SourceFile): { hasDefault: boolean; isAlsoNamed: boolean } {
  const named = new Set<string>();
  const defaults: string[] = [];
  for (const statement of tree.statements) {
    if (ts.isExportAssignment(statement)) defaults.push(statement.expression.getText());
    if (
      ts.isExportDeclaration(statement) &&
      statement.exportClause &&
      ts.isNamedExports(statement.exportClause)
    ) {
      for (const { name, propertyName } of statement.exportClause.elements) {
        if (name.text === "default") defaults.push(propertyName?.text ?? "");
        else named.add((propertyName ?? name).text);
      }
    }
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map(({ name }) => name.getText())
      : [(statement as ts.FunctionDeclaration).name?.text ?? ""];
    const isDefault = modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
    for (const name of names)
      (isDefault ? defaults : { push: (it: string) => named.add(it) }).push(name);
  }
  return {
    hasDefault: defaults.length > 0,
    isAlsoNamed: defaults.every((name) => named.has(name)),
  };
}

const rules: Record<string, () => string[]> = {
  "files of src import only src and packages": () =>
    faults(floor("src"), ({ imports }) =>
      imports.map(({ target }) => target).filter((to) => isFile(to) && !to.startsWith("src/")),
    ),

  "modules have no circular imports": () => circles(sources),

  "no folder of src imports an entry point": () =>
    faults(
      floor("src").filter(({ file }) => !isEntry(file)),
      ({ imports }) => imports.map(({ target }) => target).filter((to) => /^src\/[^/]+$/.test(to)),
    ),

  "every folder of src belongs to a layer": () =>
    faults(floor("src"), ({ file }) => (isEntry(file) || getLayer(file) >= 0 ? [] : ["no layer"])),

  "no folder of src imports from a higher layer or from another folder of its own layer": () =>
    faults(
      floor("src").filter(({ file }) => !isEntry(file)),
      ({ file, imports }) =>
        imports
          .map(({ target }) => target)
          .filter((to) => to.startsWith("src/") && to.split("/")[1] !== file.split("/")[1])
          .filter((to) => getLayer(to) >= getLayer(file)),
    ),

  "src/kernel imports nothing of src/request, src/signin and src/page": () =>
    faults(
      floor("src").filter(({ file }) => file.startsWith("src/kernel/")),
      ({ imports }) =>
        imports
          .map(({ target }) => target)
          .filter((to) => /^src\/(request|signin|page)\//.test(to)),
    ),

  "a plugin imports only the kernel, its own files and entry points of other plugins": () =>
    faults(floor("plugins"), ({ file, imports }) =>
      imports
        .map(({ target }) => target)
        .filter(
          (to) =>
            isFile(to) &&
            !isFromSrc(file, to) &&
            !isOwnFile(file, to) &&
            !isPlugin(to) &&
            !(file.startsWith("plugins/bindings/") && isBinding(to)),
        ),
    ),

  "browser code in src/client imports only src/client and src/types": () =>
    faults(
      sources.filter(({ file }) => /^src\/client[./]/.test(file)),
      ({ imports }) =>
        imports
          .map(({ target }) => target)
          .filter((to) => isFile(to) && !/^src\/(client|types)\//.test(to)),
    ),

  "only presets import presets": () =>
    faults([...floor("src"), ...floor("plugins")], ({ imports }) =>
      imports.map(({ target }) => target).filter((to) => to.startsWith("presets/")),
    ),

  "a package is imported only by the files that may import it": () =>
    faults(sources, ({ file, imports }) =>
      imports
        .map(({ target }) => target)
        .filter((to) => !isFile(to) && !to.startsWith("node:"))
        .filter((to) => !borders[getPackageName(to)]?.test(file)),
    ),

  "only the node bindings and the command line import node: modules statically": () =>
    faults(
      sources.filter(({ file }) => !/^(plugins\/bindings\/node|src\/cli[./])/.test(file)),
      ({ imports }) =>
        imports
          .filter(({ target, lazy }) => target.startsWith("node:") && !lazy)
          .map(({ target }) => target),
    ),

  "every import of a file names its extension": () =>
    faults(sources, ({ imports }) =>
      imports.map(({ target }) => target).filter((to) => isFile(to) && !/\.(ts|svelte)$/.test(to)),
    ),

  "no module declares a mutable top-level variable": () =>
    faults(sources, ({ tree }) =>
      tree.statements
        .filter(ts.isVariableStatement)
        .filter(({ declarationList: { flags } }) => !(flags & ts.NodeFlags.Const))
        .map((statement) => statement.getText()),
    ),

  "no file contains any, @ts-ignore or @ts-nocheck": () =>
    faults(sources, ({ text, tree }) => {
      const found: string[] = text.match(/@ts-(ignore|nocheck)/g) ?? [];
      walk(tree, (node) => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(node.parent.getText());
      });
      return found;
    }),

  // A loop that ends at the first difference reveals how many characters of a guess are right
  // (SECURITY.md R15).
  "loops that compare secrets end at the last character, whatever they find": () => {
    const { tree } = sources.find(({ file }) => file === "src/crypto/crypto.ts") as Source;
    const loops: string[] = [];
    const found: string[] = [];
    walk(tree, (node) => {
      if (!ts.isIterationStatement(node, false) || !node.getText().includes("difference")) return;
      loops.push(node.getText());
      walk(node, (inner) => {
        const isBranch =
          ts.isIfStatement(inner) ||
          ts.isConditionalExpression(inner) ||
          ts.isReturnStatement(inner) ||
          ts.isBreakOrContinueStatement(inner) ||
          ts.isThrowStatement(inner);
        if (isBranch) found.push(inner.getText());
      });
    });
    return loops.length === 2 ? found : [`${loops.length} loops that compare, not 2`];
  },

  "secrets are compared only by timingSafeEqual()": () =>
    faults(sources, ({ file, tree }) => {
      const found: string[] = [];
      walk(tree, (node) => {
        if (!ts.isBinaryExpression(node) || !EQUALITY.has(node.operatorToken.kind)) return;
        const sides = [node.left, node.right];
        if (sides.some((side) => ts.isLiteralExpression(side) || !isRuntimeText(side))) return;
        const isSecret = sides.some((side) => SECRET_NAME.test(side.getText()));
        const isOwn = OWN_SECRETS.includes(node.getText()) || file.startsWith("src/testing/");
        if (isSecret && !isOwn) found.push(node.getText());
      });
      return found;
    }),

  "only presets, providers, stores and adapters have a default export, next to a named one": () =>
    faults(sources, ({ file, tree }) => {
      const { hasDefault, isAlsoNamed } = findDefaultExport(tree);
      if (!hasDefault) return /^plugins\/providers\/[^/]+$/.test(file) ? ["no default export"] : [];
      // Nuxt loads plugins and route middleware by their default export. Below 4.5.1 it finds none among several.
      if (file.startsWith("plugins/bindings/nuxt/runtime/")) {
        return isAlsoNamed ? ["an export beside the default one"] : [];
      }
      const isAgreed =
        /^(presets|plugins\/(providers|stores|adapters))\/[^/]+$/.test(file) &&
        getEntryPoint(file) !== undefined;
      return [
        ...(isAgreed ? [] : ["a default export"]),
        ...(isAlsoNamed ? [] : ["no named export of the default one"]),
      ];
    }),

  "only src/cli.ts imports the command line": () =>
    faults(
      sources.filter(({ file }) => !/^src\/cli[./]/.test(file)),
      ({ imports }) => imports.map(({ target }) => target).filter((to) => /^src\/cli[./]/.test(to)),
    ),

  "only plugins and the minimal preset import src/_kit.ts": () =>
    faults(
      [...floor("src"), ...floor("presets")].filter(({ file }) => file !== "presets/minimal.ts"),
      ({ imports }) => imports.map(({ target }) => target).filter((to) => to === "src/_kit.ts"),
    ),

  "declarations of plugins name only entry points, their own files and packages": () =>
    faults(floor("plugins"), ({ file, text }) =>
      listImports(file, declare(file, text))
        .map(({ target }) => target)
        .filter((to) => isFile(to) && getEntryPoint(to) === undefined && !isOwnFile(file, to))
        .filter((to) => !(isBinding(file) && isBinding(to))),
    ),

  "declarations import no file by a type node": () =>
    faults(sources, ({ file, text }) =>
      listImports(file, declare(file, text))
        .filter(({ target, lazy }) => lazy && isFile(target))
        .map(({ target }) => target),
    ),

  "sources contain none of the fenced words": () =>
    faults(sources, (source) =>
      source.file === GENERATED_SCRIPT
        ? []
        : FENCED_WORDS.flatMap(({ words, where }) =>
            // Finding the parts of a file takes much longer than a search.
            source.text.match(words)
              ? listTexts(source, where).flatMap((text) => text.match(words) ?? [])
              : [],
          ),
    ),

  "file names state their content: no utils, helpers, services, managers or lib": () =>
    sources
      .map(({ file }) => file)
      .filter((file) =>
        /(^|[/-])(utils?|helpers?|services?|managers?|internal|misc|lib)([/.]|$)/.test(file),
      ),

  "file names are kebab-case and match the exports of package.json": () =>
    findExportFaults(
      JSON.parse(readFileSync(`${root}package.json`, "utf8")).exports,
      sources.map(({ file }) => file),
    ),

  "every field of the configuration and every method of an adapter has a doc comment": () =>
    floor("src/types").flatMap(({ tree }) =>
      tree.statements
        .filter(ts.isInterfaceDeclaration)
        .filter(({ name }) => WRITTEN_TYPES.has(name.text))
        .flatMap(({ name, members }) =>
          members
            .filter((member) => member.name && ts.getJSDocCommentsAndTags(member).length === 0)
            .map((member) => `${name.text}.${member.name?.getText()}`),
        ),
    ),

  "presets/index.ts is the only index file": () =>
    sources
      .map(({ file }) => file)
      .filter((file) => file.endsWith("/index.ts"))
      .filter((file) => file !== "presets/index.ts"),
};

function faults(files: readonly Source[], check: (source: Source) => readonly string[]): string[] {
  return files.flatMap((source) => check(source).map((fault) => `${source.file}: ${fault}`));
}

describe("project structure", () => {
  for (const [rule, check] of Object.entries(rules))
    it(rule, () => {
      expect(check()).toEqual([]);
    });

  it("the top-level folder contains only the expected files and folders", () => {
    const agreed =
      /^(src|plugins|presets|test|playground|(package|package-lock|tsconfig)\.json|build\.config\.ts|(README|CHANGELOG)\.md|LICENSE)$/;
    const made = ["node_modules", "dist", "coverage"];
    expect(
      readdirSync(root).filter(
        (name) => !name.startsWith(".") && !made.includes(name) && !agreed.test(name),
      ),
    ).toEqual([]);
  });
});

describe("src/kernel.ts", () => {
  it("src/kernel.ts exports at most 27 values", () => {
    const file = `${root}src/kernel.ts`;
    const { options } = ts.parseJsonConfigFileContent({ extends: "./tsconfig.json" }, ts.sys, root);
    const program = ts.createProgram([file], { ...options, noLib: true, types: [] });
    const checker = program.getTypeChecker();
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!);
    const values = checker.getExportsOfModule(module!).filter((symbol) => {
      const isAlias = symbol.flags & ts.SymbolFlags.Alias;
      return (isAlias ? checker.getAliasedSymbol(symbol) : symbol).flags & ts.SymbolFlags.Value;
    });
    expect(values.map(({ name }) => name)).toContain("createAuthWith");
    expect(values.length).toBeLessThanOrEqual(27);
  });
});

/** A test in a file, with the titles of the blocks around it. */
interface Title {
  full: string;
  own: string;
  /** Whether the title has values that are filled in for each case. */
  isTemplate: boolean;
}

const TEST_FUNCTION = /^(?:it|test)(?:\.(?:each|for|skip|only|fails|runIf|skipIf)\b.*)?$/s;
const MIN_TITLE_LENGTH = 20;
const MIN_TEMPLATE_LENGTH = 10;

function listTitles(tree: ts.SourceFile): Title[] {
  const found: Title[] = [];
  const visit = (node: ts.Node, path: readonly string[]): void => {
    let inner = path;
    if (ts.isCallExpression(node) && node.arguments.length > 1) {
      const [title] = node.arguments as ts.NodeArray<ts.Expression>;
      const isLiteral = ts.isStringLiteralLike(title!);
      const text = isLiteral ? title.text : title!.getText(tree);
      const callee = node.expression.getText(tree);
      if (/^describe\b/.test(callee)) inner = [...path, text];
      else if (TEST_FUNCTION.test(callee)) {
        const isTemplate = !isLiteral || /%[a-zA-Z]|\$\w/.test(text);
        const isKnown = isLiteral || ts.isTemplateExpression(title!);
        if (isKnown) found.push({ full: [...path, text].join(" > "), own: text, isTemplate });
      }
    }
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(tree, []);
  return found;
}

describe("test titles", () => {
  const tests = globSync("test/**/*.test.ts", { cwd: root })
    .filter((file) => !file.includes("node_modules"))
    .sort()
    .map((file) => {
      const text = readFileSync(root + file, "utf8");
      return {
        file,
        titles: listTitles(ts.createSourceFile(file, text, ts.ScriptTarget.Latest)),
      };
    });

  it("listTitles() finds tests in every test file", () => {
    expect(tests.length).toBeGreaterThan(100);
    const { length } = tests.flatMap(({ titles }) => titles);
    expect(length).toBeGreaterThan(1000);
  });

  it("no two tests of a file have the same full title", () => {
    const found = tests.flatMap(({ file, titles }) => {
      const all = titles.map(({ full }) => full);
      return all.filter((title, at) => all.indexOf(title) < at).map((title) => `${file}: ${title}`);
    });
    expect(found).toEqual([]);
  });

  it(`every test title has at least ${MIN_TITLE_LENGTH} characters, or ${MIN_TEMPLATE_LENGTH} and a value`, () => {
    const found = tests.flatMap(({ file, titles }) =>
      titles
        .filter(
          ({ own, isTemplate }) =>
            own.length < (isTemplate ? MIN_TEMPLATE_LENGTH : MIN_TITLE_LENGTH),
        )
        .map(({ own }) => `${file}: ${own}`),
    );
    expect(found).toEqual([]);
  });
});
