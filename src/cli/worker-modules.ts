import * as nodeModule from "node:module";

const PREFIX = "cloudflare:";

const FUNCTIONS = ["connect", "waitUntil", "withEnv", "withExports"];
const CLASSES = [
  "DurableObject",
  "EmailMessage",
  "NonRetryableError",
  "RpcStub",
  "RpcTarget",
  "WorkerEntrypoint",
  "WorkflowEntrypoint",
];

// One module stands in for all of them.
const CODE = [
  "export const env = process.env, exports = {};",
  ...FUNCTIONS.map((name) => `export const ${name} = () => {};`),
  ...CLASSES.map((name) => `export class ${name} {}`),
].join("\n");

const toUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

/**
 * Lets modules that are written for a Worker be imported in Node, which lacks `cloudflare:workers` and the like. Their
 * `env` has the variables of the process; other bindings are `undefined`.
 */
export function provideWorkerModules(): void {
  const url = toUrl(CODE);
  const isOfWorker = (name: string) => name.startsWith(PREFIX);
  if (typeof nodeModule.registerHooks === "function") {
    nodeModule.registerHooks({
      resolve: (name, context, next) =>
        isOfWorker(name) ? { url, shortCircuit: true } : next(name, context),
    });
    return;
  }
  // Node before 22.15. Other runtimes have neither.
  nodeModule.register?.(
    toUrl(
      `export const resolve = (name, context, next) => name.startsWith("${PREFIX}") ` +
        `? { url: ${JSON.stringify(url)}, shortCircuit: true } : next(name, context);`,
    ),
  );
}
