import { globSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import * as errors from "../src/errors.ts";

/** A configuration fault or a warning of boot, as the sources contain it. */
export interface Finding {
  kind: "refused" | "warned";
  /** The error's `type`, or the code of the warning. */
  code: string;
  /** What is wrong. `{name}` stands for a value from the configuration. */
  text: string;
  /** How to fix it. */
  fix: string;
  /** File and line of the sources. */
  place: string;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const MAX_DEPTH = 14;
const MAX_TEXTS = 60;

/** The types of the error classes that boot reports, by class name. */
const FAULTS = new Map(
  Object.entries(errors).flatMap(([name, value]): [string, string][] => {
    const isFault =
      typeof value === "function" &&
      (value === errors.ConfigError || value.prototype instanceof errors.ConfigError);
    return isFault ? [[name, (value as typeof errors.ConfigError).type]] : [];
  }),
);
/** Errors that contain other faults. */
const COLLECTIONS = new Set(["ConfigError", "BootError"]);

/** The possible texts of an expression; `undefined` if only running it can tell. */
type Texts = readonly string[] | undefined;
type Scope = ReadonlyMap<ts.Symbol, Texts>;

function createProgram(): ts.Program {
  const files = globSync("{src,plugins}/**/*.ts", { cwd: root })
    .filter((file) => !/^src\/(?:cli|client|testing)\b|\/browser\//.test(file))
    .map((file) => root + file);
  const options: ts.CompilerOptions = {
    ...{ target: ts.ScriptTarget.Latest, module: ts.ModuleKind.ESNext, noLib: true, types: [] },
    ...{ allowImportingTsExtensions: true, noEmit: true },
  };
  const host = ts.createCompilerHost(options);
  // Packages contain none of our texts.
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => ({
      resolvedModule: text.startsWith(".")
        ? { resolvedFileName: join(dirname(from), text), extension: ".ts" }
        : undefined,
    }));
  return ts.createProgram(files, options, host);
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

const union = (all: readonly Texts[]): Texts => {
  const known = all.flatMap((texts) => texts ?? []);
  return known.length ? [...new Set(known)].slice(0, MAX_TEXTS) : undefined;
};

/** Returns the placeholder of a value that the configuration decides. */
function placeholder(node: ts.Node): string {
  if (ts.isIdentifier(node)) return `{${node.text}}`;
  if (ts.isPropertyAccessExpression(node)) return `{${node.name.text}}`;
  if (ts.isElementAccessExpression(node)) return placeholder(node.expression);
  if (ts.isCallExpression(node)) {
    const { expression } = node;
    const [first] = node.arguments;
    if (ts.isPropertyAccessExpression(expression) && !first)
      return placeholder(expression.expression);
    if (ts.isPropertyAccessExpression(expression)) return placeholder(expression.expression);
    return first ? placeholder(first) : placeholder(expression);
  }
  if (ts.isBinaryExpression(node)) return placeholder(node.left);
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node))
    return placeholder(node.expression);
  return "{...}";
}

/** Reads the texts of a program without running it. */
class Reader {
  readonly #checker: ts.TypeChecker;
  /** Calls of functions, by the name at the call. */
  readonly #calls = new Map<string, ts.CallExpression[]>();
  #depth = 0;

  constructor(program: ts.Program) {
    this.#checker = program.getTypeChecker();
    for (const source of program.getSourceFiles())
      walk(source, (node) => {
        if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return;
        const { text } = node.expression;
        this.#calls.set(text, [...(this.#calls.get(text) ?? []), node]);
      });
  }

  /** Returns the possible texts of an expression. */
  read(node: ts.Expression, scope: Scope = new Map()): Texts {
    if (this.#depth >= MAX_DEPTH) return undefined;
    this.#depth++;
    try {
      return this.#read(node, scope);
    } finally {
      this.#depth--;
    }
  }

  /** Returns the texts, with a placeholder for each that only running the code can tell. */
  fill(node: ts.Expression, scope: Scope): readonly string[] {
    return this.read(node, scope) ?? [placeholder(node)];
  }

  /** Returns the codes, each with the texts that belong to it. */
  pair(code: string | ts.Expression, text: ts.Expression): [code: string, text: string][] {
    const cross = (scope: Scope) =>
      (typeof code === "string" ? [code] : this.fill(code, scope)).flatMap((one) =>
        this.fill(text, scope).map((whole): [string, string] => [one, whole]),
      );
    if (typeof code === "string") return cross(new Map());
    // If both are alternatives of the same condition, the first code has the first text.
    if (ts.isConditionalExpression(code) && ts.isConditionalExpression(text)) {
      const isSame = code.condition.getText() === text.condition.getText();
      if (isSame)
        return [
          ...this.pair(code.whenTrue, text.whenTrue),
          ...this.pair(code.whenFalse, text.whenFalse),
        ];
    }
    // A function returns code and text in one object.
    const [declaration] = this.#resolve(code)?.declarations ?? [];
    if (!declaration || !ts.isBindingElement(declaration)) return cross(new Map());
    const pattern = declaration.parent;
    const { parent } = pattern;
    if (!ts.isVariableDeclaration(parent) || !parent.initializer) return cross(new Map());
    return this.#readObjects(parent.initializer, new Map()).flatMap(([object, inner]) => {
      const scope = new Map(inner);
      for (const element of pattern.elements as readonly ts.BindingElement[]) {
        const symbol = this.#resolve(element.name);
        const name = (element.propertyName ?? element.name).getText();
        if (symbol) scope.set(symbol, this.#readMember(object, name, inner));
      }
      return cross(scope);
    });
  }

  #join(parts: readonly (readonly string[])[]): Texts {
    return parts.reduce<readonly string[]>(
      (all, part) => all.flatMap((start) => part.map((end) => start + end)).slice(0, MAX_TEXTS),
      [""],
    );
  }

  #read(node: ts.Expression, scope: Scope): Texts {
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isSatisfiesExpression(node) ||
      ts.isNonNullExpression(node)
    )
      return this.read(node.expression, scope);
    if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans.flatMap(({ expression, literal }) => [
        this.fill(expression, scope),
        [literal.text],
      ]);
      return this.#join([[node.head.text], ...spans]);
    }
    if (ts.isConditionalExpression(node))
      return union([this.read(node.whenTrue, scope), this.read(node.whenFalse, scope)]);
    if (ts.isBinaryExpression(node)) return this.#readBinary(node, scope);
    if (ts.isArrayLiteralExpression(node))
      return union(
        node.elements.map((one) =>
          this.read(ts.isSpreadElement(one) ? one.expression : one, scope),
        ),
      );
    if (ts.isIdentifier(node)) return this.#readName(node, scope);
    if (ts.isPropertyAccessExpression(node))
      return this.#readMember(node.expression, node.name.text, scope);
    if (ts.isCallExpression(node)) return this.#readCall(node, scope);
    return undefined;
  }

  #readBinary({ left, right, operatorToken }: ts.BinaryExpression, scope: Scope): Texts {
    switch (operatorToken.kind) {
      case ts.SyntaxKind.PlusToken:
        return this.#join([this.fill(left, scope), this.fill(right, scope)]);
      case ts.SyntaxKind.QuestionQuestionToken:
      case ts.SyntaxKind.BarBarToken:
        return union([this.read(left, scope), this.read(right, scope)]);
      case ts.SyntaxKind.AmpersandAmpersandToken:
        return union([this.read(right, scope), [""]]);
      default:
        return undefined;
    }
  }

  #resolve(node: ts.Node): ts.Symbol | undefined {
    const parent = node.parent;
    const symbol =
      ts.isShorthandPropertyAssignment(parent) && parent.name === node
        ? this.#checker.getShorthandAssignmentValueSymbol(parent)
        : this.#checker.getSymbolAtLocation(node);
    if (!symbol) return undefined;
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  #readName(node: ts.Identifier, scope: Scope): Texts {
    const symbol = this.#resolve(node);
    if (!symbol) return undefined;
    if (scope.has(symbol)) return scope.get(symbol);
    const [declaration] = symbol.declarations ?? [];
    if (!declaration) return undefined;
    if (ts.isBindingElement(declaration)) {
      const { parent } = declaration.parent;
      if (!ts.isVariableDeclaration(parent) || !parent.initializer) return undefined;
      const name = (declaration.propertyName ?? declaration.name).getText();
      return this.#readMember(parent.initializer, name, scope);
    }
    if (ts.isParameter(declaration)) return this.#readParameter(declaration);
    if (!ts.isVariableDeclaration(declaration)) return undefined;
    const loop = declaration.parent.parent;
    if (ts.isForOfStatement(loop)) return this.read(loop.expression, scope);
    return union([
      declaration.initializer && this.read(declaration.initializer, scope),
      this.#readAdded(declaration, symbol, scope),
    ]);
  }

  // What `push` and `add` put into a list or a set.
  #readAdded(declaration: ts.VariableDeclaration, symbol: ts.Symbol, scope: Scope): Texts {
    const block = ts.findAncestor(declaration, ts.isBlock) ?? declaration.getSourceFile();
    const found: Texts[] = [];
    walk(block, (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      const { expression, name } = node.expression;
      if (!["push", "add"].includes(name.text) || this.#resolve(expression) !== symbol) return;
      for (const one of node.arguments)
        found.push(this.read(ts.isSpreadElement(one) ? one.expression : one, scope));
    });
    return union(found);
  }

  // The elements of the list whose method calls the function; otherwise what callers pass.
  #readParameter(parameter: ts.ParameterDeclaration): Texts {
    const made = parameter.parent;
    const index = made.parameters.indexOf(parameter);
    const call = made.parent;
    if (ts.isCallExpression(call) && ts.isPropertyAccessExpression(call.expression)) {
      const { expression, name } = call.expression;
      if (["map", "flatMap", "forEach"].includes(name.text) && index === 0)
        return this.read(expression);
    }
    const name = ts.isFunctionDeclaration(made)
      ? made.name
      : ts.isVariableDeclaration(call)
        ? call.name
        : undefined;
    const symbol = name && this.#resolve(name);
    if (!symbol || !name) return undefined;
    const found = (this.#calls.get(name.getText()) ?? [])
      .filter((node) => this.#resolve(node.expression) === symbol)
      .flatMap(({ arguments: given }) => given[index] ?? [])
      .map((given) => this.read(given));
    return found.every(Boolean) ? union(found) : undefined;
  }

  #readMember(of: ts.Expression, name: string, scope: Scope): Texts {
    return union(
      this.#readObjects(of, scope).map(([object, inner]) => {
        const property = object.properties.find((one) => one.name?.getText() === name);
        if (!property) return undefined;
        if (ts.isPropertyAssignment(property)) return this.read(property.initializer, inner);
        if (ts.isShorthandPropertyAssignment(property)) return this.read(property.name, inner);
        return undefined;
      }),
    );
  }

  #readObjects(node: ts.Expression, scope: Scope): [ts.ObjectLiteralExpression, Scope][] {
    if (ts.isObjectLiteralExpression(node)) return [[node, scope]];
    if (ts.isIdentifier(node)) {
      const declaration = this.#resolve(node)?.declarations?.[0];
      const initializer =
        declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
      return initializer ? this.#readObjects(initializer, scope) : [];
    }
    if (ts.isCallExpression(node))
      return this.#listReturns(node, scope).flatMap(([value, inner]) =>
        this.#readObjects(value, inner),
      );
    if (ts.isConditionalExpression(node))
      return [node.whenTrue, node.whenFalse].flatMap((one) => this.#readObjects(one, scope));
    return [];
  }

  #readCall(node: ts.CallExpression, scope: Scope): Texts {
    if (ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression;
      const [given] = node.arguments;
      const isMapped = ["map", "flatMap"].includes(name.text);
      if (isMapped && given && (ts.isArrowFunction(given) || ts.isFunctionExpression(given)))
        return union(listResults(given).map((one) => this.read(one, scope)));
      if (["filter", "toSorted", "slice", "trim", "values"].includes(name.text))
        return this.read(expression, scope);
      // A joined list is read as the text of one element, because most lists have one.
      if (name.text === "join") return this.#readMapped(expression, scope);
    }
    return union(this.#listReturns(node, scope).map(([value, inner]) => this.read(value, inner)));
  }

  #readMapped(node: ts.Expression, scope: Scope): Texts {
    const declaration = ts.isIdentifier(node) ? this.#resolve(node)?.declarations?.[0] : undefined;
    const made =
      declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : node;
    const isMapped =
      made &&
      ts.isCallExpression(made) &&
      ts.isPropertyAccessExpression(made.expression) &&
      ["map", "flatMap"].includes(made.expression.name.text);
    return isMapped ? this.read(made, scope) : undefined;
  }

  #listReturns(node: ts.CallExpression, scope: Scope): [ts.Expression, Scope][] {
    const [declaration] = this.#resolve(node.expression)?.declarations ?? [];
    const made =
      declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
    if (!made || !(ts.isFunctionDeclaration(made) || ts.isArrowFunction(made))) return [];
    // These texts come from the configuration, such as the type of a value.
    if (/\/src\/platform\//.test(made.getSourceFile().fileName)) return [];
    const inner = new Map(scope);
    for (const [at, parameter] of made.parameters.entries()) {
      const symbol = this.#resolve(parameter.name);
      const given = node.arguments[at];
      if (symbol && given && ts.isIdentifier(parameter.name))
        inner.set(symbol, this.read(given, scope));
    }
    return listResults(made).map((value) => [value, inner]);
  }
}

/** Lists the expressions that a function returns. */
function listResults(made: ts.FunctionLikeDeclaration): ts.Expression[] {
  const { body } = made;
  if (!body) return [];
  if (!ts.isBlock(body)) return [body];
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(body);
  return found;
}

// The first sentence says what is wrong. The rest, or a statement of what must be, is the fix.
function split(whole: string): [text: string, fix: string] {
  const clean = whole.replaceAll(/\s+/g, " ").trim();
  const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  const at = /; |(?<=[.?]["`)]?) (?=[A-Z`"'])/.exec(clean)?.index;
  if (at !== undefined)
    return [clean.slice(0, at), capitalize(clean.slice(at).replace(/^[; ]+/, ""))];
  const wanted = /\b(?:must|needs?) .+$/.exec(clean)?.[0] ?? /: ([^{].+)$/.exec(clean)?.[1];
  return [clean, wanted === undefined ? "" : capitalize(wanted.replace(/^(?=must|need)/, "It "))];
}

/** Kind, code (or the expression of the code) and text of a fault or a warning. */
type Parts = [kind: Finding["kind"], code: string | ts.Expression, text: ts.Expression];

const CODE = /^[a-z]+(?:-[a-z0-9]+)+$/;

function findParts(node: ts.Node, reader: Reader): Parts | undefined {
  if (ts.isNewExpression(node)) {
    const type = FAULTS.get(node.expression.getText());
    const [text] = node.arguments ?? [];
    if (type === undefined || COLLECTIONS.has(type) || !text) return undefined;
    return ["refused", type, text];
  }
  if (!ts.isCallExpression(node)) return undefined;
  const { expression } = node;
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  const within = ts.findAncestor(node, ts.isVariableDeclaration)?.name.getText();
  if (name.getText() !== "warn" || within === "warn") return undefined;
  // A function that warns once is also called `warn`, and has the context before the code.
  const at = node.arguments.findIndex((one) => reader.read(one)?.every((code) => CODE.test(code)));
  const [code, text] = node.arguments.slice(Math.max(at, 0));
  return code && text && ["warned", code, text];
}

/** The findings, and the places whose code or text only running the code can tell. */
export interface Findings {
  findings: Finding[];
  unknown: string[];
}

/** Lists the faults and warnings of boot by reading the sources, so that none is missing from the documentation. */
export function listFindings(): Findings {
  const program = createProgram();
  const reader = new Reader(program);
  const found = new Map<string, Finding>();
  const unknown: string[] = [];
  const add = (finding: Finding) => {
    const key = `${finding.kind} ${finding.code} ${finding.text}`;
    // The longer one of two fixes says more.
    if ((found.get(key)?.fix.length ?? -1) < finding.fix.length) found.set(key, finding);
  };
  for (const source of program.getSourceFiles()) {
    const file = relative(root, source.fileName);
    walk(source, (node) => {
      const parts = findParts(node, reader);
      if (!parts) return;
      const [kind, given, expression] = parts;
      for (const [code, whole] of reader.pair(given, expression)) {
        const [text, fix] = split(whole);
        if (/^\{[^}]*\}$/.test(whole) || code.startsWith("{"))
          unknown.push(`${file}: ${node.getText()}`);
        else add({ kind, code, text, fix, place: file });
      }
    });
  }
  const findings = [...found.values()].sort((one, other) =>
    `${one.code} ${one.text}` < `${other.code} ${other.text}` ? -1 : 1,
  );
  return { findings, unknown };
}

/** Renders the findings as the rows of a Markdown table. */
export function renderFindings(findings: readonly Finding[]): string {
  const escape = (text: string) =>
    text.replaceAll("|", "\\|").replaceAll("<", "\\<").replaceAll("*", "\\*");
  const rows = findings.map(
    ({ code, text, fix }) => `| \`${code}\` | ${escape(text)} | ${escape(fix)} |`,
  );
  return ["| Code | Says | Fix |", "| --- | --- | --- |", ...new Set(rows)].join("\n");
}
