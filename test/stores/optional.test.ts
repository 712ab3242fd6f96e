import { expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createShelves } from "../../src/shelves.ts";

const silent = { error() {}, warn() {}, debug() {} };

function shelves() {
  const registrar = { plugin: "limits", frozen: false };
  return { registrar, ...createShelves(registrar, silent) };
}

it("reports nothing for a plugin that can do without, and lends it no fallback", async () => {
  const { registrar, store, setStore, check } = shelves();
  const shelf = store<number>("limits", { optional: true });
  setStore(memoryBackend(), { fallback: true });
  const faults: Error[] = [];
  check({ production: true }, (fault) => faults.push(fault));
  registrar.frozen = true;
  expect(faults).toEqual([]);
  await expect(shelf.increment("a")).rejects.toMatchObject({ type: "PluginError" });
});

it("gives it the store that was set", async () => {
  const { registrar, store, setStore } = shelves();
  const shelf = store<number>("limits", { optional: true });
  setStore(memoryBackend());
  registrar.frozen = true;
  expect(await shelf.increment("a")).toBe(1);
});
