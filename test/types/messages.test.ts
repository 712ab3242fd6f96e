import { describe, expect, it } from "vitest";
import { compile } from "./_compile.ts";

const IMPORTS = `
import { githubPlugin } from "../../plugins/providers/github.ts";
import { createAuth, definePlugin, definePreset, type Plugin } from "../../presets/index.ts";
`;

const SNIPPETS = {
  option: "createAuth({ sesion: {} });",
  inner: "createAuth({ session: { maxage: 1 } });",
  callback: "createAuth({ callbacks: { signin: () => true } });",
  uncalled: "createAuth().use(githubPlugin);",
  listed: "createAuth({ plugins: [githubPlugin] });",
  field: 'definePlugin({ name: "x", require: ["y"], setup() {} });',
  factory: 'definePlugin((name: string): Plugin => ({ name, require: ["y"], setup() {} }));',
  hook: 'definePlugin({ name: "x", setup({ hooks }) { hooks.signin.tap("x", () => true); } });',
  event: 'definePlugin({ name: "x", setup({ events }) { events.hook("signin", () => {}); } });',
};

const { errors } = compile({ all: IMPORTS + Object.values(SNIPPETS).join("\n") });
const messages = Object.fromEntries(Object.keys(SNIPPETS).map((name, at) => [name, errors[at]]));

describe("messages of the compiler", { timeout: 60_000 }, () => {
  it("each snippet has one error", () => {
    expect(errors).toHaveLength(Object.keys(SNIPPETS).length);
  });

  it.each([
    ["option", "'sesion' does not exist in type 'AuthConfig'. Did you mean to write 'session'?"],
    ["inner", "'maxage' does not exist in type 'SessionOptions'. Did you mean to write 'maxAge'?"],
    [
      "callback",
      "'signin' does not exist in type 'CallbacksOptions'. Did you mean to write 'signIn'?",
    ],
    ["uncalled", "is not assignable to parameter of type 'Plugin<{}> | Preset<{}>'."],
    ["uncalled", "Did you mean to call this expression?"],
    ["listed", "is not assignable to type 'Plugin<{}>'."],
    ["listed", "Did you mean to call this expression?"],
    ["field", "'require' does not exist in type 'Plugin<{}>'. Did you mean to write 'requires'?"],
    ["factory", "'require' does not exist in type 'Plugin<{}>'. Did you mean to write 'requires'?"],
    ["hook", "Property 'signin' does not exist on type 'AuthHooks'. Did you mean 'signIn'?"],
    ["event", "Argument of type '\"signin\"' is not assignable to parameter of type"],
  ] as const)("the error of the snippet %s says: %s", (name, message) => {
    expect(messages[name]).toContain(message);
  });
});
