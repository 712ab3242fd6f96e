import { describe, expect, it } from "vitest";
import { azureAdPlugin } from "../../plugins/providers/azure-ad.ts";
import { azureDevopsPlugin } from "../../plugins/providers/azure-devops.ts";
import { mediumPlugin } from "../../plugins/providers/medium.ts";
import { microsoftEntraIdPlugin } from "../../plugins/providers/microsoft-entra-id.ts";
import { netsuitePlugin } from "../../plugins/providers/netsuite.ts";
import { passagePlugin } from "../../plugins/providers/passage.ts";
import { zohoPlugin } from "../../plugins/providers/zoho.ts";
import { createAuth } from "../../presets/index.ts";
import type { Plugin } from "../../src/kernel.ts";
import { make, resolve } from "./_provider.ts";

const client = { clientId: "id", clientSecret: "secret" };

/** Boots an application with a provider, and returns its warnings. */
function boot(plugin: Plugin): string[] {
  const warnings: string[] = [];
  const logger = { warn: (...all: unknown[]) => void warnings.push(all.join(" ")), error() {} };
  const env = { AUTH_SECRET: "a secret for the tests, long enough", NODE_ENV: "test" };
  createAuth({ env, logger }).use(plugin).inspect();
  return warnings;
}

describe("services that have ended or have a successor", () => {
  it.each([
    [azureDevopsPlugin(client), /"azure-devops" cannot be used: .*microsoftEntraIdPlugin/],
    [passagePlugin(client), /"passage" cannot be used: .*passkeyPlugin/],
  ])("boot refuses the provider of a service that has ended: %#", (plugin, message) => {
    expect(() => boot(plugin)).toThrow(message);
  });

  it("boot warns of a service that is deprecated", () => {
    expect(boot(mediumPlugin(client))).toContainEqual(
      expect.stringContaining('The provider "medium": Medium accepts no new integrations'),
    );
  });

  it("azure-ad: is Microsoft Entra ID under its former id, and boot names it", () => {
    const former = resolve(azureAdPlugin({ tenantId: "acme.example" }), {
      AUTH_AZURE_AD_ID: "env-id",
    });
    const { deprecated, ...rest } = former;
    const successor = resolve(microsoftEntraIdPlugin({ tenantId: "acme.example" }));
    expect(JSON.parse(JSON.stringify(rest))).toEqual(
      JSON.parse(
        JSON.stringify({
          ...successor,
          id: "azure-ad",
          name: "Azure Active Directory",
          clientId: "env-id",
        }),
      ),
    );
    expect(deprecated).toContain("microsoftEntraIdPlugin");
    expect(boot(azureAdPlugin(client))).toContainEqual(expect.stringContaining('"azure-ad"'));
  });
});

describe("options that a provider of the catalogue requires", () => {
  it("boot names the provider, the option and a value when one is missing", () => {
    expect(() => boot(make(netsuitePlugin as never, client) as Plugin)).toThrow(
      /"netsuite" has no `accountID`; set it to a string such as 1234567-sb1/,
    );
    // As an environment variable is that is set to nothing.
    expect(() =>
      boot(make(netsuitePlugin as never, { ...client, accountID: "" }) as Plugin),
    ).toThrow(/"netsuite" has no `accountID`; set it to a string such as 1234567-sb1/);
  });

  it("boot names the values of an option when it has another one", () => {
    const plugin = make(zohoPlugin as never, { ...client, dataCenter: "mars" }) as Plugin;
    expect(() => boot(plugin)).toThrow(/"zoho".*`dataCenter`; set it to one of com, eu, in/);
  });

  it("boot warns of an option that is not known, and suggests it when one letter is wrong", () => {
    const plugin = make(zohoPlugin as never, { ...client, centre: "eu" }) as Plugin;
    expect(boot(plugin)).toContainEqual(
      expect.stringContaining('`centre` is not an option of the provider "zoho"'),
    );
    const typo = make(zohoPlugin as never, { ...client, dataCentr: "eu" }) as Plugin;
    expect(() => boot(typo)).toThrow(/`dataCentr`.*did you mean `dataCenter`/);
  });
});
