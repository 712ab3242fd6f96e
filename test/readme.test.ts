import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { TooManyAttempts } from "../plugins/security/rate-limit.ts";
import { createAuth } from "../presets/index.ts";
import * as errors from "../src/errors.ts";
import type { ProviderPlugin } from "../src/kernel.ts";
import { LINKING } from "../src/signin/linking.ts";
import type { AuthConfig, Kernel, StoreBackend } from "../src/types.ts";
import { listFindings, renderFindings } from "./_findings.ts";
import { listServers } from "./_servers-table.ts";
import { AVOIDED } from "./pages/_avoided.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readmes = [
  "README.md",
  ...globSync("{src,plugins,presets,playground}/**/README.md", {
    cwd: root,
    exclude: ["**/node_modules/**"],
  }),
  "test/README.md",
];
const read = (file: string) => readFileSync(root + file, "utf8");
const list = (pattern: string) => globSync(pattern, { cwd: root }).sort();

/** Boots the standard preset without its own secret, and returns the kernel. */
function boot(config: AuthConfig = {}) {
  let kernel: Kernel | undefined;
  const secret = "a secret for this test alone, 32 characters and more";
  const auth = createAuth({ secret, trustHost: true, env: { NODE_ENV: "test" }, ...config });
  auth.use({ name: "test/look", setup: (given) => void (kernel = given) });
  return { inspection: auth.inspect(), kernel: kernel as unknown as Kernel };
}

function getInterface(file: string, name: string): ts.InterfaceDeclaration {
  const tree = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  return tree.statements.find(
    (node) => ts.isInterfaceDeclaration(node) && node.name.text === name,
  ) as ts.InterfaceDeclaration;
}

type Row = (string | undefined)[];
type Table = [head: string[], rows: Row[]];

const code = (text: string | undefined) => `\`${text}\``;

/** Returns the name of the function that a plugin's module exports. */
async function importPlugin(file: string, ending: RegExp) {
  const module = (await import(root + file)) as Record<string, () => unknown>;
  const name = Object.keys(module).find((key) => ending.test(key)) ?? "";
  return { name, make: module[name] as () => unknown, path: `keyhook/${file.slice(8, -3)}` };
}

/** The backends of `plugins/stores/`, created without a server: none connects before its first use. */
const backends: Record<string, (module: Record<string, never>) => [label: string, StoreBackend][]> =
  {
    memory: ({ memoryBackend: make }) => [["", call(make)]],
    fs: ({ fsBackend: make }) => [["", call(make, ".data/nothing")]],
    sqlite: ({ sqliteBackend: make }) => [
      ["a file", call(make, ".data/nothing.sqlite")],
      ["`:memory:`", call(make, ":memory:")],
    ],
    redis: ({ redisBackend: make }) => [["", call(make, {})]],
    upstash: ({ upstashBackend: make }) => [["", call(make, {})]],
    postgres: ({ postgresBackend: make }) => [["", call(make, {})]],
    mysql: ({ mysqlBackend: make }) => [["", call(make, {})]],
    mongodb: ({ mongodbBackend: make }) => [["", call(make, {})]],
    "deno-kv": ({ denoKvBackend: make }) => [["", call(make, {})]],
    db0: ({ db0Backend: make }) => [
      ["SQLite in a file", call(make, { dialect: "sqlite", connector: "node-sqlite" })],
      ["D1, libSQL, Turso", call(make, { dialect: "sqlite", connector: "cloudflare-d1" })],
      ["PostgreSQL", call(make, { dialect: "postgresql" })],
      ["MySQL", call(make, { dialect: "mysql" })],
    ],
    unstorage: ({ unstorageBackend: make }) =>
      [
        "memory",
        "fs",
        "redis",
        "upstash",
        "db0",
        "mongodb",
        "deno-kv",
        "cloudflare-kv-binding",
      ].map((name) => [`driver ${name}`, call(make, toStorage(name))]),
  };

function call(make: unknown, given?: unknown): StoreBackend {
  return (make as (given: unknown) => StoreBackend)(given);
}

// A storage whose only driver has a name and no data.
function toStorage(name: string) {
  const options = { base: ".data/nothing", database: { dialect: "postgresql" } };
  const driver = { name, options, setItem() {}, removeItem() {}, hasItem: () => false };
  const mount = { base: "", driver };
  return { getMount: () => mount, getMounts: () => [mount], mount() {}, unmount: async () => {} };
}

/** The generated tables: the README and the table, by the name of the marker. `npm run docs` writes them. */
const tables: Record<string, [file: string, make: () => Table | Promise<Table>]> = {
  hooks: [
    "src/README.md",
    () => {
      const { hooks } = boot().inspection;
      const { members } = getInterface("src/types/kernel.ts", "AuthHooks");
      const rows = members.filter(ts.isPropertySignature).map((member) => {
        const name = member.name.getText();
        const type = member.type as ts.TypeReferenceNode;
        const isMap = type.typeName.getText() === "HookMap";
        const [given] = type.typeArguments as unknown as [ts.TupleTypeNode];
        const told = given.elements
          .filter(ts.isNamedTupleMember)
          .map((argument) => code(argument.name.text));
        // The hooks of a map are created on first use.
        const kind = isMap ? "waterfall" : hooks[name]?.kind;
        const says = ts.getJSDocCommentsAndTags(member)[0] as ts.JSDoc;
        const label = isMap ? `${name}.for(name)` : name;
        // A line break would end the row.
        const text = ts.getTextOfJSDocComment(says.comment)?.replaceAll(/\s+/g, " ");
        return [code(label), kind, told.join(", "), text];
      });
      return [["Hook", "Kind", "Arguments", "Decides"], rows];
    },
  ],

  events: [
    "src/README.md",
    () => {
      const { members } = getInterface("src/types/events.ts", "EventMessages");
      const rows = members
        .filter(ts.isPropertySignature)
        .map(({ name, type }) => [
          code(name.getText()),
          code((type as ts.TypeNode).getText().replaceAll(/\s+/g, " ")),
        ]);
      return [["Event", "Message"], rows];
    },
  ],

  linking: [
    "src/README.md",
    () => {
      const facts = ["links", "intent", "account", "address", "stated", "flag", "lasting"] as const;
      const rows = LINKING.map((row) => [
        row.row,
        ...facts.map((fact) =>
          row[fact] === undefined ? "" : String(row[fact]).replaceAll(",", ", "),
        ),
        code(row.outcome),
      ]);
      return [["Row", ...facts.map(code), "Outcome"], rows];
    },
  ],

  cookies: [
    "src/README.md",
    () => {
      const { cookies } = boot({ useSecureCookies: true }).inspection;
      const rows = Object.entries(cookies).map(([key, { name, attributes }]) => {
        const { maxAge } = attributes;
        return [code(key), code(name), maxAge === undefined ? "" : toMinutes(maxAge)];
      });
      return [["Purpose", "Name on https", "Max-Age"], rows];
    },
  ],

  routes: [
    "plugins/routes/README.md",
    () => {
      const rows = boot().inspection.routes.map(({ method, path, csrf, plugin }) => [
        method,
        // The name of the script contains its hash.
        code(path.replace(/-[0-9a-f]{16}(?=\.js$)/, "-<hash>")),
        csrf === "-" ? "" : csrf === "flow" ? "by the flow" : csrf,
        code(plugin),
      ]);
      return [["Method", "Path", "CSRF token", "Plugin"], rows];
    },
  ],

  providers: [
    "plugins/providers/README.md",
    async () => {
      const rows = await Promise.all(
        list("plugins/providers/*.ts").map(async (file) => {
          const { name, make, path } = await importPlugin(file, /Plugin$/);
          const { provider } = make() as ProviderPlugin;
          const page = `docs/${basename(file, ".ts")}.md`;
          return [`[${provider.name}](${page})`, code(name), code(path), provider.type];
        }),
      );
      rows.sort(([one = ""], [other = ""]) => one.localeCompare(other, "en"));
      return [["Provider", "Plugin", "Import", "Type"], rows];
    },
  ],

  languages: [
    "plugins/languages/README.md",
    async () => {
      const rows = await Promise.all(
        list("plugins/languages/*.ts").map(async (file) => {
          const { name, make, path } = await importPlugin(file, /Plugin$/);
          const { languages, translator } = boot({
            plugins: [make() as ProviderPlugin],
          }).kernel.use("pages").catalogue;
          const tag = languages.at(-1) ?? "";
          expect(tag.toLowerCase()).toBe(basename(file, ".ts"));
          const language = new Intl.DisplayNames("en", { type: "language" }).of(tag);
          return [language, code(tag), code(name), code(path), translator([tag]).direction];
        }),
      );
      return [
        ["Language", "Tag", "Plugin", "Import", "Direction"],
        [["English", code("en"), "", "", "ltr"], ...rows],
      ];
    },
  ],

  glossary: [
    "plugins/languages/README.md",
    async () => {
      const terms = {
        "sign in": "link.signin",
        "sign out": "signout.submit",
        account: "account.title",
        "sign-in method": "account.methods",
        connect: "account.link",
        disconnect: "account.unlink",
        session: "account.sessions",
        "email address": "credentials.email",
        password: "credentials.password",
        passkey: "passkey.heading",
        "two-step verification": "factor.title",
        "recovery code": "factor.recovery.code",
      };
      const rows: Row[] = [];
      for (const file of list("plugins/languages/*.ts")) {
        const { make } = await importPlugin(file, /Plugin$/);
        const { languages, translator } = boot({
          plugins: [make() as ProviderPlugin],
        }).kernel.use("pages").catalogue;
        const tag = languages.at(-1) ?? "";
        const { t } = translator([tag]);
        const words = Object.values(terms).map((id) =>
          t(id, { name: "…" }).replaceAll(/[\u2068\u2069]/g, ""),
        );
        rows.push([code(tag), ...words, AVOIDED[tag]?.join(", ")]);
      }
      return [["", ...Object.keys(terms), "not"], rows];
    },
  ],

  servers: [
    "plugins/bindings/README.md",
    () => [["Server or framework", "Versions that the tests run", "Import", ""], listServers()],
  ],

  guarantees: [
    "plugins/stores/README.md",
    async () => {
      const rows: Row[] = [];
      for (const file of list("plugins/stores/[a-z]*.ts")) {
        const name = basename(file, ".ts");
        const made = backends[name]?.((await import(root + file)) as Record<string, never>);
        if (!made) throw new Error(`test/readme.test.ts makes no backend of ${file}.`);
        for (const [label, backend] of made) {
          const { scope, consistency, ttl, durable } = backend.guarantees;
          const facts = [scope, consistency, backend.atomic, durable, ttl].map((fact) =>
            typeof fact === "boolean" ? (fact ? "yes" : "no") : fact,
          );
          rows.push([code(`keyhook/stores/${name}`), label, ...facts]);
        }
      }
      return [["Import", "Over", "Scope", "Consistency", "Atomic", "Durable", "TTL"], rows];
    },
  ],

  errors: [
    "plugins/pages/README.md",
    () => {
      const known = boot().kernel.errors;
      const kinds = new Map(
        [...Object.values(errors), TooManyAttempts]
          .filter((one): one is typeof errors.AuthError => "type" in one)
          .map(({ type, kind }) => [type, kind] as [string, string]),
      );
      const rows = [...known].map(([type, { text, status }]) => [
        code(type),
        type === "InvalidEmailCode"
          ? "verify-request page"
          : ({ signIn: "sign-in page", error: "error page" }[kinds.get(type) ?? ""] ??
            "name of Auth.js"),
        code(text),
        String(status),
      ]);
      rows.sort(([one = ""], [other = ""]) => one.localeCompare(other, "en"));
      return [["`?error=`", "Leads to", "Texts", "Status of the error page"], rows];
    },
  ],
};

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー（）]/gu;

const LAM_ALEF = /ل[اأإآ]/g;

// The columns of a text in a font of one width: East Asian characters take two, a ligature takes
// one.
function toWidth(text: string): number {
  return text.length + (text.match(WIDE)?.length ?? 0) - (text.match(LAM_ALEF)?.length ?? 0);
}

/** Renders a table with columns of one width, as the formatter leaves it. */
function render([head, rows]: Table): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell?.replaceAll("|", "\\|").trim() ?? ""),
  );
  const widths = head.map((_, at) => Math.max(3, ...cells.map((row) => toWidth(row[at] ?? ""))));
  const [first = [], ...rest] = cells.map((row) =>
    row.map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - toWidth(cell))),
  );
  return [first, widths.map((width) => "-".repeat(width)), ...rest]
    .map((row) => `| ${row.join(" | ")} |`)
    .join("\n");
}

const toMinutes = (seconds: number) => (seconds === 60 ? "1 minute" : `${seconds / 60} minutes`);

describe("generated tables of the READMEs", () => {
  for (const [name, [file, make]] of Object.entries(tables))
    it(`the table of ${name} in ${file} matches the code`, async () => {
      const text = read(file);
      const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
      const [before, rest] = text.split(start);
      const [found, after] = rest?.split(end) ?? [];
      if (after === undefined) throw new Error(`${file} has no ${start} ... ${end}`);
      const wanted = render(await make());
      if (process.env.KEYHOOK_DOCS === "write")
        writeFileSync(root + file, `${before}${start}\n\n${wanted}\n\n${end}${after}`);
      else expect(found?.trim()).toBe(wanted);
    });
});

describe("boot refusals and warnings", () => {
  const FILE = ".github/FINDINGS.md";
  const { findings, unknown } = listFindings();

  /** Texts whose end is only known at run time, or that ask for nothing. */
  const WITHOUT_MEND: readonly RegExp[] = [
    /\{(?:message|fix|name|retired|deprecated)\}$/,
    /^\{place\} received \{value\} instead of /,
    /is not a valid language tag/,
    /^"\{plugin\}" uses the service "\{name\}", which "\{owner\}" has not provided/,
    /^Passkeys are experimental/,
    /^The page "\{name\}" leaves out /,
  ];

  it(`${FILE} lists all refusals and warnings`, () => {
    const text = read(FILE);
    const [start, end] = ["<!-- findings -->", "<!-- /findings -->"];
    const [before = "", rest = ""] = text.split(start);
    const [found = "", after = ""] = rest.split(end);
    const wanted = renderFindings(findings);
    if (process.env.KEYHOOK_DOCS === "write")
      writeFileSync(root + FILE, `${before}${start}\n\n${wanted}\n\n${end}${after}`);
    else expect(found.trim()).toBe(wanted);
  });

  it("every refusal and warning has a code and a text from the sources", () => {
    expect(findings.length).toBeGreaterThan(250);
    expect(unknown).toEqual([]);
  });

  it("every refusal and warning explains the fix", () => {
    const bare = findings.filter(({ fix }) => fix === "").map(({ text }) => text);
    expect(bare.filter((text) => !WITHOUT_MEND.some((known) => known.test(text)))).toEqual([]);
    expect(WITHOUT_MEND.filter((known) => !bare.some((text) => known.test(text)))).toEqual([]);
  });

  it("a warning's code is not that of an error, and is in only one file", () => {
    const warned = findings.filter(({ kind }) => kind === "warned");
    for (const { code, place } of warned) {
      const places = warned.filter((other) => other.code === code).map((other) => other.place);
      if (code !== "config-unknown") expect(new Set(places), code).toEqual(new Set([place]));
      expect(code).toMatch(/^[a-z]+(?:-[a-z0-9]+)+$/);
    }
  });

  it("every error class is in src/errors, where the table finds it", () => {
    const isFault = (name: string) => {
      const value = (errors as Record<string, unknown>)[name];
      return typeof value === "function" && value.prototype instanceof errors.ConfigError;
    };
    const others = list("{src,plugins}/**/*.ts").filter((file) => {
      const bases = read(file).matchAll(/\bextends (\w+) \{|defineError\(\s*"\w+",\s*(\w+)/g);
      const named = [...bases].map(([, own, made]) => own ?? made ?? "");
      return named.some((name) => name === "ConfigError" || isFault(name));
    });
    expect(others).toEqual(["src/errors/errors.ts"]);
  });
});

/** Strips code blocks, which contain paths of applications. */
const prose = (file: string) => read(file).replaceAll(/^```[^]*?^```$/gm, "");

const referring = [...readmes, "test/bench/README.md", ...list(".github/*.md"), "CHANGELOG.md"];

describe("references in the READMEs", () => {
  it.each(referring)("%s links only to files that exist", (file) => {
    const targets = [...prose(file).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)|src="([^"]+)"/g)]
      .map(([, link, picture]) => link ?? picture ?? "")
      .filter((target) => !/^https?:/.test(target));
    const missing = targets.filter((target) => !existsSync(join(root, dirname(file), target)));
    expect(missing).toEqual([]);
  });

  it.each(referring)("%s links only to headings that exist", (file) => {
    const anchors = [...prose(file).matchAll(/\]\(([^)#]*)#([^)]+)\)/g)];
    const missing = anchors.filter(([, target, anchor]) => {
      const other = target ? join(dirname(file), target) : file;
      if (!other.endsWith(".md") || other.startsWith("http")) return false;
      const headings = [...read(other).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
          .replaceAll(" ", "-"),
      );
      return !headings.includes(anchor ?? "");
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  // `src/request/handler.ts:createHandler` names a function, type or constant of the file.
  it.each(referring)("%s names only files, folders and functions that exist", (file) => {
    const named = [
      ...prose(file).matchAll(
        /`((?:src|plugins|presets|playground|test|\.github|\.ci)\/[\w./@-]*)(?::(\w+))?`/g,
      ),
    ];
    const missing = named.filter(([, path = "", name]) => {
      if (!existsSync(root + path)) return true;
      return name !== undefined && !new RegExp(`\\b${name}\\b`).test(read(path));
    });
    expect(missing.map(([whole]) => whole)).toEqual([]);
  });

  it("src/README.md names every folder of src", () => {
    const folders = globSync("src/*/", { cwd: root }).map((folder) => folder.replace(/\/$/, ""));
    const text = read("src/README.md");
    expect(folders.filter((folder) => !text.includes(`\`${folder}/\``))).toEqual([]);
  });

  it("the README of each kind of plugins names every entry point of the kind", () => {
    const unnamed = list("plugins/*/[a-z]*.ts").filter((file) => {
      const [, kind = "", name = ""] = file.split("/");
      if (kind === "bindings") return false;
      const path = kind === "frameworks" ? "keyhook" : `keyhook/${kind}`;
      return !read(`plugins/${kind}/README.md`).includes(`${path}/${basename(name, ".ts")}`);
    });
    expect(unnamed).toEqual([]);
  });

  it("the table of the configuration names every field", () => {
    const declared = (file: string, type: string, path = "") => {
      const tree = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest);
      const found = tree.statements.find(
        (node): node is ts.InterfaceDeclaration =>
          ts.isInterfaceDeclaration(node) && node.name.text === type,
      );
      return found?.members.map(({ name }) => `${path}${(name as ts.Identifier).text}`) ?? [];
    };
    const session = declared("src/types/options.ts", "SessionOptions", "session.");
    const jwt = declared("src/types/token.ts", "JWTOptions", "jwt.");
    const fields = declared("src/types/config.ts", "AuthConfig");
    expect(Math.min(session.length, jwt.length, fields.length)).toBeGreaterThan(4);
    const [, rest = ""] = read("presets/README.md").split("\n## Configuration\n");
    const [table = ""] = rest.split("\n##");
    const names = [...session, ...jwt, ...fields].filter((name) => !/^(session|jwt)$/.test(name));
    expect(names.filter((name) => !new RegExp(`\`${name}[\`.]`).test(table))).toEqual([]);
  });

  it("the guide of plugins names every member of a request, every outcome of a login, and what can be augmented", () => {
    const guide = read("plugins/README.md");
    const between = (start: string, end: string) => guide.split(start)[1]?.split(end)[0] ?? "";
    const find = (file: string, type: string) => {
      const tree = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest);
      return tree.statements.find(
        (node) =>
          (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) &&
          node.name.text === type,
      );
    };
    const context = find("src/types/kernel.ts", "AuthContext") as ts.InterfaceDeclaration;
    const members = context.members.map(({ name }) => (name as ts.Identifier).text);
    const request = between("`ctx` is the request:", "(`src/types/kernel.ts:AuthContext`)");
    expect(members.filter((name) => !new RegExp(`\`${name}(\\(\\))?\``).test(request))).toEqual([]);

    const outcome = find("src/types/sign-in.ts", "LoginOutcome") as ts.TypeAliasDeclaration;
    const outcomes = (outcome.type as ts.UnionTypeNode).types.map(
      (one) => ((one as ts.LiteralTypeNode).literal as ts.StringLiteral).text,
    );
    const table = between("| `outcome` ", "\n\n");
    expect(outcomes.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);

    const augmentable = list("src/types/*.ts").flatMap((file) =>
      [...read(file).matchAll(/declare module "keyhook\/types" \{ interface (\w+)/g)].map(
        ([, name]) => name,
      ),
    );
    const listed = between("A plugin adds to these interfaces", "\n\n");
    expect(augmentable).toContain("Services");
    expect(augmentable.filter((name) => !listed.includes(`\`${name}\``))).toEqual([]);
  });

  it("README.md has at most 200 lines and links to every other README", () => {
    const text = read("README.md");
    expect(text.split("\n").length).toBeLessThanOrEqual(201);
    const others = readmes.filter((file) => file !== "README.md");
    expect(others.filter((file) => !text.includes(`(${file}`))).toEqual([]);
  });
});
