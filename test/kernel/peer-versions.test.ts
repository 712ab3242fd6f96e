import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  findPeerFault,
  getInstalledVersion,
  PEER_VERSIONS,
  type PeerName,
} from "../../src/kernel/peer-versions.ts";

const manifest = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as {
  peerDependencies: Record<string, string>;
};
const names = Object.keys(PEER_VERSIONS) as PeerName[];

// The upper end of a caret range: the first number that is not 0 may not change.
function toBounds(range: string): string[] {
  const [from = "", below] = range.split(" ").map((part) => part.replace(/^[\^<>=]+/, ""));
  const [major, minor] = from.split(".").map(Number) as [number, number];
  return [from, below ?? (major > 0 ? String(major + 1) : `0.${minor + 1}`)];
}

describe("versions of optional packages", () => {
  it.each(names)("%s has the same bounds as in package.json", (name) => {
    expect(PEER_VERSIONS[name]).toEqual(toBounds(manifest.peerDependencies[name] ?? ""));
  });

  it.each(names)("%s, as installed here, is not a fault", (name) => {
    expect(getInstalledVersion(name)).toMatch(/^\d/);
    expect(findPeerFault(name)).toBeUndefined();
  });

  it.each([
    ["@simplewebauthn/server", "9.0.3", false],
    ["@simplewebauthn/server", "14.0.2", false],
    ["@simplewebauthn/server", "14.0.3", true],
    ["@simplewebauthn/server", "14.9.0", true],
    ["@simplewebauthn/server", "15.0.0", false],
    ["@simplewebauthn/server", "15.0.0-beta.1", false],
    ["@simplewebauthn/server", "100.0.0", false],
    ["nodemailer", "5.1.1", false],
    ["nodemailer", "6.0.0", true],
    ["nodemailer", "10.12.1", true],
    ["nodemailer", "11.0.0", false],
    ["uqr", "0.2.0", false],
    ["uqr", "0.1.3", true],
    ["@opentelemetry/api", "1.8.9", false],
    ["@opentelemetry/api", "1.10.0", true],
    ["otpauth", undefined, true],
  ] as [PeerName, string | undefined, boolean][])(
    "%s in version %s is accepted: %s",
    (name, version, isAccepted) => {
      const fault = findPeerFault(name, () => version);
      expect(fault === undefined).toBe(isAccepted);
      if (fault) expect(fault.message).toContain(`"${name}"`);
      if (fault) expect(fault.message).toContain(`version ${version} of`);
    },
  );

  it("a package that is not installed has no known version", () => {
    expect(getInstalledVersion("no-such-package-of-anyone")).toBeUndefined();
  });

  it("an environment whose `process` throws has no known version", () => {
    const given = Object.getOwnPropertyDescriptor(globalThis, "process") as PropertyDescriptor;
    const refuse = () => {
      throw new Error("process is not supported here");
    };
    Object.defineProperty(globalThis, "process", { configurable: true, get: refuse });
    try {
      expect(getInstalledVersion("uqr")).toBeUndefined();
    } finally {
      Object.defineProperty(globalThis, "process", given);
    }
  });
});
