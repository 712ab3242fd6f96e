import type { CommandDef } from "citty";
import { createAuthWith } from "../auth/auth.ts";
import { diagnose } from "../auth/diagnose.ts";
import type { Auth, Decision, Diagnosis } from "../types/auth.ts";
import type { Plugin } from "../types/plugin.ts";
import { define, print } from "./command.ts";
import { LOAD_ARGS, loadAuth, readEnvFile } from "./load-auth.ts";
import { renderSection, type Row, toLine } from "./table.ts";

const PRODUCTION = { env: { NODE_ENV: "production" } };

// Without a module only the environment is looked at: nothing is registered but what boot requires.
const noSessions: Plugin = {
  name: "cli/environment",
  setup: (kernel) =>
    kernel.addStrategy("jwt", {
      create: () => () => {},
      read: () => null,
      update: () => null,
      current: () => null,
      destroy: () => undefined,
    }),
};

function toRow({ name, value, reason }: Decision): Row {
  return { name, value, "decided by": reason };
}

function toLines(heading: string, lines: readonly string[]): string {
  return lines.length ? `${heading}\n${lines.map((line) => `  ${toLine(line)}`).join("\n")}\n` : "";
}

function listFaults({ faults }: Diagnosis): string[] {
  return faults.map(({ type, message }) => `${type}: ${message}`);
}

function listWarnings({ warnings }: Diagnosis): string[] {
  return warnings.map(({ code, detail }) => `${code}: ${detail}`);
}

function report(auth: Auth, isWhole: boolean): string {
  const here = diagnose(auth);
  const production = diagnose(auth, PRODUCTION);
  const known = new Set(here.decisions.map((one) => JSON.stringify(one)));
  const other = production.decisions.filter((one) => !known.has(JSON.stringify(one)));
  const refused = listFaults(production);
  if (refused.length) process.exitCode = 1;
  const isProduction = here.decisions.some(
    ({ name, value }) => name === "environment" && value === "production",
  );
  const sections = [
    renderSection("Decisions", here.decisions.map(toRow)),
    renderSection("Different in production", other.map(toRow)),
    ...(isProduction
      ? []
      : [toLines("Faults", listFaults(here)), toLines("Warnings", listWarnings(here))]),
    toLines("Warnings in production", listWarnings(production)),
    toLines("Variables that nothing reads", isWhole ? here.unread : []),
    toLines("Production would refuse", refused),
    refused.length ? "" : "Production would accept this configuration.\n",
  ];
  return sections.filter(Boolean).join("\n");
}

/** `keyhook doctor` */
export const doctorCommand: CommandDef = define({
  meta: {
    name: "doctor",
    description:
      "Explains what options and variables have decided, which variables nothing reads, and what production would refuse.",
  },
  args: {
    file: {
      type: "positional",
      required: false,
      description: "Module that exports the Auth. Without it: the environment alone.",
    },
    ...LOAD_ARGS,
  },
  async run(args) {
    readEnvFile(args.env);
    const auth = args.file
      ? await loadAuth(args.file, args.export)
      : createAuthWith({ name: "environment", plugins: [noSessions] });
    print(report(auth, Boolean(args.file)).trimEnd());
  },
});
