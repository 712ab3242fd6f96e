import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { setSecret } from "../../src/cli/secret.ts";
import { createFolder } from "./_cli.ts";

const SECRET = /^AUTH_SECRET=([\w-]{43})$/m;

/** Creates a folder with a `.env`, and runs `keyhook secret` in it. */
function createEnv(text?: string, name = ".env") {
  const folder = createFolder();
  const file = join(folder.path, name);
  if (text !== undefined) writeFileSync(file, text);
  return {
    file,
    read: () => readFileSync(file, "utf8"),
    run: (...args: string[]) => folder.run(["secret", ...args]),
  };
}

describe("keyhook secret", () => {
  it("prints a secret of 32 random bytes, different each time, and writes no file", async () => {
    const { run, file } = createEnv();
    const [one, other] = await Promise.all([run(), run()]);
    expect(one).toMatchObject({ code: 0, err: "" });
    const [, secret = ""] = SECRET.exec(one.out) ?? [];
    expect(Buffer.from(secret, "base64url")).toHaveLength(32);
    expect(other.out).not.toBe(one.out);
    expect(existsSync(file)).toBe(false);
  });

  it("`--write` creates a file that only its owner can read, and does not print the secret", async () => {
    const { run, read, file } = createEnv();
    const { code, out } = await run("--write");
    expect({ code, out }).toEqual({ code: 0, out: "AUTH_SECRET was written to .env.\n" });
    expect(read()).toMatch(/^AUTH_SECRET=[\w-]{43}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("`--write` accepts the name of a file", async () => {
    const { run, read } = createEnv(undefined, ".env.local");
    expect((await run("--write", ".env.local")).code).toBe(0);
    expect(read()).toMatch(SECRET);
  });

  it("`--write` does not change a file with a secret, and does not print the secret", async () => {
    const before = "A=1\nAUTH_SECRET=kept\n";
    const { run, read } = createEnv(before);
    const { code, out, err } = await run("--write");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(".env already has an AUTH_SECRET. Replacing it signs out all users.");
    expect(err).not.toContain("kept");
    expect(read()).toBe(before);
  });

  it("a file or `--force` without `--write` is an error", async () => {
    const { run } = createEnv();
    for (const arg of [".env", "--force"]) {
      expect(await run(arg)).toEqual({
        code: 1,
        out: "",
        err: "Add --write to write to a file.\n",
      });
    }
  });

  it("`--force` replaces the secret in place, and keeps the mode of the file", async () => {
    const { run, read, file } = createEnv("A=1\r\nexport AUTH_SECRET=old\r\nB=2\r\n");
    chmodSync(file, 0o640);
    expect((await run("--write", "--force")).code).toBe(0);
    expect(read()).toMatch(/^A=1\r\nexport AUTH_SECRET=[\w-]{43}\r\nB=2\r\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it("`--write` explains why a file cannot be used", async () => {
    const { run } = createEnv();
    const { code, err } = await run("--write", "absent/.env");
    expect(code).toBe(1);
    expect(err).toContain("absent/.env could not be written: ENOENT");
    expect((await run("--write", ".")).err).toContain(". could not be read: EISDIR");
  });
});

describe("setSecret()", () => {
  const set = (text: string, force = false) => setSecret(text, "new", { file: ".env", force });

  it.each([
    ["an empty file", "", "AUTH_SECRET=new\n"],
    ["a file that ends with a line break", "A=1\n", "A=1\nAUTH_SECRET=new\n"],
    ["a file that does not end with one", "A=1", "A=1\nAUTH_SECRET=new\n"],
    ["a file with Windows line breaks", "A=1\r\n", "A=1\r\nAUTH_SECRET=new\r\n"],
    ["a file with another variable", "MY_AUTH_SECRET=x\n", "MY_AUTH_SECRET=x\nAUTH_SECRET=new\n"],
    ["a file with a comment", "# AUTH_SECRET=x\n", "# AUTH_SECRET=x\nAUTH_SECRET=new\n"],
    ["an empty secret", "A=1\nAUTH_SECRET=\nB=2\n", "A=1\nAUTH_SECRET=new\nB=2\n"],
    ["an empty text as secret", 'AUTH_SECRET="" # later\n', "AUTH_SECRET=new\n"],
    ["an empty secret, with Windows line breaks", "AUTH_SECRET=\r\n", "AUTH_SECRET=new\r\n"],
  ])("setSecret() completes %s", (_, before, after) => {
    expect(set(before)).toBe(after);
  });

  it.each([
    ["AUTH_SECRET=x", "AUTH_SECRET=new"],
    ['AUTH_SECRET="x" # y', "AUTH_SECRET=new"],
    ["  export AUTH_SECRET = x", "  export AUTH_SECRET =new"],
    ["A=1\r\nAUTH_SECRET=x\r\n", "A=1\r\nAUTH_SECRET=new\r\n"],
    ["AUTH_SECRET=\nAUTH_SECRET=x\n", "AUTH_SECRET=new\nAUTH_SECRET=new\n"],
  ])("setSecret() replaces the secret in %j only with `force`", (before, after) => {
    expect(() => set(before)).toThrow("Use --force to replace it.");
    expect(set(before, true)).toBe(after);
  });
});

describe("keyhook", () => {
  it("`--help` lists the commands, and `--help` of a command its options, without colors", async () => {
    const folder = createFolder();
    const { code, out } = await folder.run(["--help"]);
    expect(code).toBe(0);
    for (const name of ["secret", "inspect", "doctor"]) {
      expect(out).toMatch(new RegExp(`^ +${name} {4}\\w`, "m"));
    }
    const { out: usage } = await folder.run(["inspect", "--help"]);
    expect(usage).toContain("USAGE keyhook inspect [OPTIONS] <FILE>");
    // oxlint-disable-next-line no-control-regex -- colors begin with it
    expect(out + usage).not.toMatch(/\u001b/);
  });

  it("`--version` prints the version of the package", async () => {
    const { version } = JSON.parse(
      readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
    ) as { version: string };
    expect((await createFolder().run(["--version"])).out).toBe(`${version}\n`);
  });

  it("an unknown option is an error that suggests the name", async () => {
    const { code, err } = await createFolder().run(["secret", "--wirte"]);
    expect(code).toBe(1);
    expect(err).toBe('There is no option "--wirte". Did you mean "write"?\n');
  });

  it("an unknown command is an error after the usage", async () => {
    const { code, err, out } = await createFolder().run(["secrets"]);
    expect(code).toBe(1);
    expect(out).toContain("USAGE keyhook secret|provider|inspect|doctor");
    expect(err).toContain("Unknown command");
  });
});
