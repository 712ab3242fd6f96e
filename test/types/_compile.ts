import { fileURLToPath } from "node:url";
import ts from "typescript";
import { checkVirtualFiles } from "../_virtual-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The code of "Unused '@ts-expect-error' directive". */
const UNUSED_DIRECTIVE = 2578;

/** The result of compiling files that are not on disk. */
export interface Compilation {
  /** The errors in these files, each with the hints that editors show. */
  readonly errors: string[];
  /** The number of instantiated types. */
  readonly instantiations: number;
}

// The message of an unused directive does not say where the directive is.
function toPlace({ code, file, start = 0 }: ts.Diagnostic): string {
  if (code !== UNUSED_DIRECTIVE || !file) return "";
  const [, line = ""] = file.text.slice(start).split("\n");
  return ` ${file.fileName.split("/").at(-1)}: ${line}`;
}

function toText(diagnostic: ts.Diagnostic): string {
  const { messageText, relatedInformation = [] } = diagnostic;
  const hints = relatedInformation.map(({ messageText: hint }) => hint);
  return [messageText, ...hints]
    .map((text) => ts.flattenDiagnosticMessageText(text, "\n"))
    .join("\n")
    .concat(toPlace(diagnostic));
}

/** Type-checks texts as files of this folder, with the options of the repository. */
export function compile(texts: Readonly<Record<string, string>>): Compilation {
  const files = new Map(
    Object.entries(texts).map(([name, text]) => [`${root}test/types/virtual-${name}.ts`, text]),
  );
  const { program, diagnostics } = checkVirtualFiles(files);
  return { errors: diagnostics.map(toText), instantiations: program.getInstantiationCount() };
}
