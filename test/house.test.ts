import { globSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { exportFaults } from "../build.config.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Import {
  /** What it names: a file from the root, or a package. */
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
    return { file, text, tree, imports: importsOf(file, tree) };
  });

const floor = (name: string) => sources.filter(({ file }) => file.startsWith(`${name}/`));
const isFile = (target: string) => /^(src|plugins|presets|test|playground)\//.test(target);
const packageOf = (target: string) => target.match(/^(?:@[^/]+\/)?[^/]+/)?.[0] ?? target;

function importsOf(file: string, tree: ts.SourceFile): Import[] {
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
    found.push({ target, lazy: ts.isCallExpression(node) });
  });
  return found;
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** The files a plugin's file may import besides the kernel: its folder, or only itself. */
function roomOf(file: string): string {
  const [, kind, ...rest] = file.split("/");
  if (kind === "pages" || kind === "stores") return `plugins/${kind}/`;
  return rest.length > 1 ? `plugins/${kind}/${rest[0]}/` : file;
}

/** What a plugin's file may know of the kernel: a face runs in pages. */
function kernelFor(file: string): string {
  return file.startsWith("plugins/faces/") ? "src/client.ts" : "src/index.ts";
}

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

/** A package, and the only rooms that may open it. */
const borders: Record<string, RegExp> = {
  tapable: /^src\/hooks\.ts$/,
  hookable: /^src\/events\.ts$/,
  jose: /^(src\/(token|jwt)\.ts$|plugins\/flows\/oauth\/)/,
  oauth4webapi: /^plugins\/flows\/oauth\//,
  "@simplewebauthn/server": /^plugins\/(flows\/webauthn\/|providers\/(passkey|webauthn)\.ts$)/,
  "@simplewebauthn/browser": /^src\/client\/passkey\.ts$/,
  h3: /^(plugins\/bindings|presets)\/h3\.ts$/,
  nodemailer: /^plugins\/providers\/(nodemailer|email)\.ts$/,
  unstorage: /^plugins\/stores\/unstorage\//,
  react: /^plugins\/faces\/react\//,
  svelte: /^plugins\/faces\/svelte\//,
  vue: /^plugins\/faces\/vue\//,
};

const rules: Record<string, () => string[]> = {
  "src imports only src and packages": () =>
    faults(floor("src"), ({ imports }) =>
      imports.map(({ target }) => target).filter((to) => isFile(to) && !to.startsWith("src/")),
    ),

  "src has no circles": () => circles(floor("src")),

  "a plugin imports the kernel and its own room": () =>
    faults(floor("plugins"), ({ file, imports }) =>
      imports
        .map(({ target }) => target)
        .filter((to) => isFile(to) && to !== kernelFor(file) && !to.startsWith(roomOf(file))),
    ),

  "what runs in a page knows no more of the server than its types": () =>
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

  "a package is opened in its own room": () =>
    faults(sources, ({ file, imports }) =>
      imports
        .map(({ target }) => target)
        .filter((to) => !isFile(to) && !to.startsWith("node:"))
        .filter((to) => !borders[packageOf(to)]?.test(file)),
    ),

  "node: is imported by the node bindings alone": () =>
    faults(
      sources.filter(({ file }) => !file.startsWith("plugins/bindings/node")),
      ({ imports }) =>
        imports
          .filter(({ target, lazy }) => target.startsWith("node:") && !lazy)
          .map(({ target }) => target),
    ),

  "an import says its extension": () =>
    faults(sources, ({ imports }) =>
      imports.map(({ target }) => target).filter((to) => isFile(to) && !/\.(ts|svelte)$/.test(to)),
    ),

  "no module keeps a variable": () =>
    faults(sources, ({ tree }) =>
      tree.statements
        .filter(ts.isVariableStatement)
        .filter(({ declarationList: { flags } }) => !(flags & ts.NodeFlags.Const))
        .map((statement) => statement.getText()),
    ),

  "no any, no @ts-ignore": () =>
    faults(sources, ({ text, tree }) => {
      const found: string[] = text.match(/@ts-(ignore|nocheck)/g) ?? [];
      walk(tree, (node) => {
        if (node.kind === ts.SyntaxKind.AnyKeyword) found.push(node.parent.getText());
      });
      return found;
    }),

  "src exports names, a provider also a default": () => [
    ...faults(floor("src"), ({ text }) => text.match(/^export default .*/gm) ?? []),
    ...faults(floor("plugins/providers"), ({ text }) =>
      /^export default /m.test(text) ? [] : ["no default export"],
    ),
  ],

  "a name says what is inside": () =>
    sources
      .map(({ file }) => file)
      .filter((file) =>
        /(^|[/-])(utils?|helpers?|services?|managers?|internal|misc|lib)([/.]|$)/.test(file),
      ),

  "names are kebab-case, exports and files agree": () =>
    exportFaults(
      JSON.parse(readFileSync(`${root}package.json`, "utf8")).exports,
      sources.map(({ file }) => file),
    ),

  "two index files": () =>
    sources
      .map(({ file }) => file)
      .filter((file) => file.endsWith("/index.ts"))
      .filter((file) => file !== "src/index.ts" && file !== "presets/index.ts"),
};

function faults(files: readonly Source[], check: (source: Source) => readonly string[]): string[] {
  return files.flatMap((source) => check(source).map((fault) => `${source.file}: ${fault}`));
}

describe("the house", () => {
  for (const [rule, check] of Object.entries(rules))
    it(rule, () => {
      expect(check()).toEqual([]);
    });

  it("has nothing at the top level that was not agreed", () => {
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
