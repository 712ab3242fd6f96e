import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { CommandDef } from "citty";
import { createAuthWith } from "../auth/auth.ts";
import { getInstalledVersion } from "../kernel/peer-versions.ts";
import type { Decision, Diagnosis } from "../types/auth.ts";
import type { Plugin } from "../types/plugin.ts";
import { define, print } from "./command.ts";
import { type Diagnose, diagnoseAt } from "./diagnose-at.ts";
import { LOAD_ARGS, loadAuth, readEnvFile } from "./load-auth.ts";
import { renderSection, type Row, toLine } from "./table.ts";

const PRODUCTION = { env: { NODE_ENV: "production" } };

// Without a module, only the environment is checked, and only the parts that boot requires are registered.
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

const isCookie = ({ name }: Decision): boolean => name.startsWith("cookies.");

// Returns the name without the https prefix, and the attributes without `Secure`.
function toPlain({ name, value }: Decision): string {
  return name + value.replace(/^__(?:Host|Secure)-/, "").replace("; Secure", "");
}

/** Lists the decisions that differ in production. All cookies being those of https is one row. */
function listDifferences(here: readonly Decision[], production: readonly Decision[]): Row[] {
  const known = new Set(here.map((one) => JSON.stringify(one)));
  const plain = new Set(here.filter(isCookie).map(toPlain));
  const other = production.filter((one) => !known.has(JSON.stringify(one)));
  const isAlike = (one: Decision) => isCookie(one) && plain.has(toPlain(one));
  const rows = other.filter((one) => !isAlike(one)).map(toRow);
  const reason = other.find(isAlike)?.reason;
  if (reason === undefined) return rows;
  const value = "the same, with Secure and the name prefix";
  return [...rows, { name: "cookies", value, "decided by": reason }];
}

function listUnread({ unread, misspelled }: Diagnosis): string[] {
  return unread.map((name) => {
    const meant = misspelled[name];
    return meant === undefined ? name : `${name}: did you mean ${meant}?`;
  });
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

// A package is found from the application's module, or from this package, which imports it by default.
function listMissingPackages({ packages }: Diagnosis, file: string): string[] {
  const from = pathToFileURL(resolve(file)).href;
  return packages
    .filter((name) => !getInstalledVersion(name) && !getInstalledVersion(name, from))
    .map((name) => `${name}: npm install ${name}`);
}

/** The configuration files of frameworks whose Keyhook module may add a store. */
const MODULES = ["nuxt", "nitro"].flatMap((name) =>
  ["ts", "mts", "js", "mjs"].map((extension) => `${name}.config.${extension}`),
);

// Lists files to which a framework's module may add a store that this command does not see.
function listUnseen({ faults, warnings }: Diagnosis): string[] {
  const isMissing =
    faults.some(({ message }) => message.startsWith("A store is required")) ||
    warnings.some(({ code }) => code === "store-default");
  const found = isMissing ? MODULES.find((name) => existsSync(name)) : undefined;
  if (found === undefined) return [];
  return [
    `${found}: if Keyhook's option \`storage\` or \`database\` is set there, the build adds that store, and none is ` +
      "missing.",
  ];
}

// If variables have names of next-auth 4, browsers may have its sessions. Its migration plugin registers this cookie.
function listOldNames({ decisions }: Diagnosis): string[] {
  const names = decisions.map(({ reason }) => reason).filter((one) => /^NEXTAUTH_\w+$/.test(one));
  if (!names.length || decisions.some(({ name }) => name === "cookies.nextAuth4Ended")) return [];
  return [
    `${[...new Set(names)].join(", ")}: read like AUTH_SECRET and AUTH_URL. To keep the sessions of next-auth 4, use nextAuth4() of ` +
      "keyhook/migrations/next-auth-4.",
  ];
}

async function report(diagnose: Diagnose, file: string | undefined): Promise<string> {
  const here = await diagnose();
  const production = await diagnose(PRODUCTION);
  const refused = listFaults(production);
  const missing = file === undefined ? [] : listMissingPackages(production, file);
  const isAccepted = !refused.length && !missing.length;
  if (!isAccepted) process.exitCode = 1;
  const isProduction = here.decisions.some(
    ({ name, value }) => name === "environment" && value === "production",
  );
  const sections = [
    renderSection("Decisions", here.decisions.filter((one) => !isCookie(one)).map(toRow)),
    renderSection("Cookies", here.decisions.filter(isCookie).map(toRow)),
    renderSection("Different in production", listDifferences(here.decisions, production.decisions)),
    ...(isProduction
      ? []
      : [toLines("Faults", listFaults(here)), toLines("Warnings", listWarnings(here))]),
    toLines("Warnings in production", listWarnings(production)),
    toLines("Variables that nothing reads", file === undefined ? [] : listUnread(here)),
    toLines("Names of next-auth 4", file === undefined ? [] : listOldNames(here)),
    toLines("Production would refuse", refused),
    toLines("Not visible to this command", listUnseen(production)),
    toLines("Packages that are not installed", missing),
    isAccepted ? "Production would accept this configuration.\n" : "",
  ];
  return sections.filter(Boolean).join("\n");
}

/** `keyhook doctor` */
export const doctorCommand: CommandDef = define({
  meta: {
    name: "doctor",
    description:
      "Explains the effect of options and variables, and lists unread variables, missing packages, and what production would refuse.",
  },
  args: {
    file: {
      type: "positional",
      required: false,
      description: "Module that exports the Auth. Default: only the environment is checked.",
    },
    ...LOAD_ARGS,
  },
  async run(args) {
    readEnvFile(args.env);
    const auth = args.file
      ? await loadAuth(args.file, args.export)
      : createAuthWith({ name: "environment", plugins: [noSessions] });
    const text = await report(diagnoseAt(auth, args.url), args.file);
    print(text.trimEnd());
  },
});
