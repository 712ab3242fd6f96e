import {
  type ArgsDef,
  type CommandDef,
  type CommandMeta,
  defineCommand,
  type ParsedArgs,
} from "citty";
import { didYouMean } from "../errors/did-you-mean.ts";

/** Definition of a command. `run` throws an Error whose message is for the user. */
export interface Definition<Args extends ArgsDef> {
  meta: CommandMeta;
  args: Args;
  run(args: ParsedArgs<Args>): Promise<void> | void;
}

function checkOptions(rawArgs: readonly string[], known: readonly string[]): void {
  for (const arg of rawArgs) {
    const [, name] = /^--?(?:no-)?([^=]+)/.exec(arg) ?? [];
    if (name === undefined || known.includes(name)) continue;
    throw new Error(`There is no option "${arg}".${didYouMean(name, known)}`);
  }
}

/** Writes a line of the output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Writes a line about an error, separate from the output. */
export function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Defines a command. Unknown options and errors are printed as one line, with exit code 1. */
export function define<const Args extends ArgsDef>({
  meta,
  args,
  run,
}: Definition<Args>): CommandDef {
  return defineCommand<ArgsDef>({
    meta,
    args,
    async run(context) {
      try {
        checkOptions(context.rawArgs, Object.keys(args));
        await run(context.args as ParsedArgs<Args>);
      } catch (error) {
        printError((error as Error).message);
        process.exitCode = 1;
      }
    },
  });
}
