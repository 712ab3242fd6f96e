import type { Collection } from "mongodb";
import { describe, expect, expectTypeOf, it } from "vitest";
import { mongodbBackend } from "../../plugins/stores/mongodb.ts";
import { testStore } from "../../src/testing.ts";
import { modelCollection } from "./_mongo.ts";

// No server can be had here: see the model.
describe("mongodb, as we understand it", () => {
  testStore(() => mongodbBackend(modelCollection()), { describe, expect, it }, { rounds: 5 });
});

it("takes a collection of the driver", () => {
  expectTypeOf(mongodbBackend).toBeCallableWith({} as Collection);
});
