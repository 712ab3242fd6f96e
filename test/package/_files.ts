import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { sources } from "../../build.config.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Lists a built file and the files of the package that it imports statically. */
export function listStaticFiles(entry: string): string[] {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const text = readFileSync(file, "utf8");
    const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    for (const statement of statements) {
      if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
      const { moduleSpecifier } = statement;
      if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) continue;
      if (moduleSpecifier.text.startsWith(".")) visit(join(dirname(file), moduleSpecifier.text));
    }
  };
  visit(entry);
  return [...found];
}

const MIN_STRING_LENGTH = 8;

/** Reads the names that a file declares at its top level, and its longer strings. */
function readMarks(file: string, text: string): Set<string> {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const marks = new Set<string>();
  for (const statement of tree.statements) {
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      if (statement.name) marks.add(`name ${statement.name.text}`);
    } else if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) {
        // The bundler renames one of two declarations with the same name: `ENGLISH$1`.
        if (ts.isIdentifier(name)) marks.add(`name ${name.text.replace(/\$\d+$/, "")}`);
      }
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && node.text.length >= MIN_STRING_LENGTH) marks.add(`text ${node.text}`);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return marks;
}

/** The marks that only one source has, by source. */
const ownMarks = (() => {
  const all = sources.map((file) => {
    const text = readFileSync(root + file, "utf8");
    return [file, readMarks(file, text)] as const;
  });
  const counts = new Map<string, number>();
  for (const [, marks] of all) {
    for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  return new Map(
    all.map(([file, marks]) => [file, [...marks].filter((mark) => counts.get(mark) === 1)]),
  );
})();

/**
 * Lists the sources that built files contain. The build keeps neither comments nor file names, but it keeps names and
 * strings that only one source has.
 */
export function findSources(files: readonly string[]): string[] {
  const built = new Set(files.flatMap((file) => [...readMarks(file, readFileSync(file, "utf8"))]));
  return [...ownMarks]
    .filter(([, marks]) => marks.some((mark) => built.has(mark)))
    .map(([file]) => file)
    .sort();
}

/** Lists the sources without a mark of their own: types and re-exports. */
export function listUnmarked(): string[] {
  return [...ownMarks].filter(([, marks]) => marks.length === 0).map(([file]) => file);
}
