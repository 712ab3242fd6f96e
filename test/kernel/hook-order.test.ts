import { describe, expect, it } from "vitest";
import type { TapOptions } from "../../src/kernel.ts";
import { createTestAuth, fetchSession } from "../_app.ts";
import { getCpuTime } from "../_cpu-time.ts";
import { listFaults, plugin } from "./_faults.ts";

type Tap = string | TapOptions;

/** Taps the hook `request`, each time with a separate plugin, and returns the order in which the taps run. */
async function getOrder(...taps: Tap[]): Promise<string[]> {
  const seen: string[] = [];
  const { browser, auth } = createTestAuth({
    use: taps.map((tap, at) => {
      const name = typeof tap === "string" ? tap : tap.name;
      return plugin(`p${at}`, ({ hooks }) => hooks.request.tap(tap, () => void seen.push(name)));
    }),
  });
  await fetchSession(browser);
  expect(auth.inspect().hooks.request?.taps.map(({ name }) => name)).toEqual(seen);
  return seen;
}

const findFaults = (...taps: unknown[]) =>
  listFaults({
    use: taps.map((tap, at) =>
      plugin(`p${at}`, ({ hooks }) => hooks.request.tap(tap as Tap, () => {})),
    ),
  });

describe("order of taps", () => {
  it("taps run by named stage, then in the order of registration", async () => {
    const order = await getOrder(
      { name: "last", stage: "last" },
      { name: "late", stage: "late" },
      { name: "normal", stage: "normal" },
      "plain",
      { name: "early", stage: "early" },
      { name: "first", stage: "first" },
    );
    expect(order).toEqual(["first", "early", "normal", "plain", "late", "last"]);
  });

  it("taps run by numeric stage: the named stages are -100, -10, 0, 10 and 100", async () => {
    const order = await getOrder(
      { name: "99", stage: 99 },
      { name: "last", stage: "last" },
      { name: "9", stage: 9 },
      { name: "late", stage: "late" },
      { name: "1", stage: 1 },
      { name: "-9", stage: -9 },
      { name: "early", stage: "early" },
      { name: "-99", stage: -99 },
      { name: "first", stage: "first" },
    );
    expect(order).toEqual(["first", "-99", "early", "-9", "1", "9", "late", "99", "last"]);
  });

  it("a tap with `before` runs before the taps that it names, registered earlier or later", async () => {
    expect(await getOrder("a", "b", { name: "c", before: "b" })).toEqual(["a", "c", "b"]);
    expect(await getOrder({ name: "c", before: ["a", "b"] }, "b", "a")).toEqual(["c", "b", "a"]);
    expect(
      await getOrder("a", "b", { name: "c", before: "b" }, { name: "d", before: ["a", "c"] }),
    ).toEqual(["d", "a", "c", "b"]);
  });

  it("a tap with `after` runs after the taps that it names, and others keep their order", async () => {
    expect(await getOrder({ name: "me", after: "y" }, "x", "y", "z")).toEqual([
      "x",
      "y",
      "me",
      "z",
    ]);
    expect(await getOrder({ name: "me", after: ["y", "x"] }, "x", "y")).toEqual(["x", "y", "me"]);
  });

  it("a tap without `before` or `after` is not moved by those of others", async () => {
    const order = await getOrder(
      { name: "limiter", stage: "first" },
      "a",
      "b",
      { name: "me", before: "b" },
      "c",
      { name: "you", after: "a", before: "c" },
      { name: "end", stage: "late", after: "me" },
    );
    expect(order).toEqual(["limiter", "a", "me", "b", "you", "c", "end"]);
  });

  it("`before` or `after` that the stages already satisfy has no effect", async () => {
    const order = await getOrder(
      { name: "me", stage: "late", after: "b" },
      { name: "b", stage: "first", before: "me" },
    );
    expect(order).toEqual(["b", "me"]);
  });

  it("a target with a trailing question mark may be missing, and applies when it exists", async () => {
    expect(await getOrder("a", { name: "me", before: ["totp?", "a?"] })).toEqual(["me", "a"]);
    expect(await getOrder({ name: "me", after: "totp?" })).toEqual(["me"]);
  });

  it("taps of one plugin run in the order in which it registered them", async () => {
    const seen: string[] = [];
    const { browser } = createTestAuth({
      use: [
        plugin("one", ({ hooks }) => {
          for (const name of ["a", "b", "c"]) hooks.response.tap(name, () => void seen.push(name));
        }),
      ],
    });
    await fetchSession(browser);
    expect(seen).toEqual(["a", "b", "c"]);
  });

  it("the taps of `ready`, `around` and the pages are ordered too", () => {
    const { auth } = createTestAuth({
      use: [
        plugin("one", ({ hooks }) => {
          for (const hook of [hooks.ready, hooks.around, hooks.page.for("signin")]) {
            const work = ((_: unknown, next?: () => void) => next?.()) as never;
            hook.tap("a", work);
            hook.tap({ name: "b", before: "a" }, work);
          }
        }),
      ],
    });
    const { hooks } = auth.inspect();
    for (const name of ["ready", "around", "page:signin"]) {
      const own = hooks[name]?.taps.filter(({ plugin: owner }) => owner === "one");
      expect(own?.map((tap) => tap.name)).toEqual(["b", "a"]);
    }
  });

  it("many taps with many orders are sorted quickly", async () => {
    const taps = Array.from({ length: 300 }, (_, at) => ({
      name: `t${at}`,
      ...(at > 0 && { before: `t${at - 1}` }),
    }));
    const start = getCpuTime();
    expect(await getOrder(...taps)).toEqual(taps.map(({ name }) => name).reverse());
    expect(getCpuTime() - start).toBeLessThan(5000);
  });
});

describe("an impossible order is a fault of boot", () => {
  it("a tap that must run before one of an earlier stage", () => {
    expect(
      findFaults({ name: "me", stage: "late", before: "b" }, { name: "b", stage: "first" }),
    ).toEqual([
      'The tap "me" (plugin p0) of stage late must run before "b" (plugin p1) of stage first in the hook ' +
        'request. Give "me" an earlier stage, or "b" a later one.',
    ]);
  });

  it("a tap that must run after one of a later stage", () => {
    expect(findFaults({ name: "me", stage: 5, after: "b" }, { name: "b", stage: 7 })).toEqual([
      'The tap "me" (plugin p0) of stage 5 must run after "b" (plugin p1) of stage 7 in the hook request. ' +
        'Give "b" an earlier stage, or "me" a later one.',
    ]);
  });

  it("a target that does not exist", () => {
    expect(findFaults({ name: "mine", before: "nobody" })).toEqual([
      'The tap "mine" (plugin p0) must run before "nobody" in the hook request, where no tap has that name. ' +
        'Correct the name, or write "nobody?" if the tap may be missing.',
    ]);
    expect(findFaults({ name: "mine", after: ["a", "b?"] })).toEqual([
      expect.stringContaining('must run after "a" in the hook request'),
    ]);
  });

  it("a circle, named in the order of the requests, and reported once", () => {
    expect(
      findFaults(
        "outside",
        { name: "behind", after: "a" },
        { name: "a", before: "b" },
        { name: "b", before: "c" },
        { name: "c", before: "a" },
      ),
    ).toEqual([
      'Taps of the hook request must run before one another in a circle: "a" (plugin p2) > "b" (plugin p3) > ' +
        '"c" (plugin p4) > "a" (plugin p2). Drop one `before` or `after`.',
    ]);
    expect(findFaults({ name: "a", before: "b", after: "b" }, "b")).toHaveLength(1);
  });

  it("a circle whose taps must also run after one outside the circle", () => {
    expect(
      findFaults("outside", { name: "a", after: ["outside", "b"] }, { name: "b", after: "a" }),
    ).toEqual([
      'Taps of the hook request must run before one another in a circle: "a" (plugin p1) > "b" (plugin p2) > ' +
        '"a" (plugin p1). Drop one `before` or `after`.',
    ]);
  });

  it("a tap that names itself", () => {
    expect(findFaults({ name: "me", before: "me" })).toEqual([
      expect.stringContaining('in a circle: "me" (plugin p0) > "me" (plugin p0)'),
    ]);
  });

  it("two taps of one name in one hook", () => {
    expect(findFaults("twin", "twin")).toEqual([
      'Two taps of the hook request are named "twin" (plugins p0 and p1). Rename one.',
    ]);
  });

  it("two taps of one name in two hooks are allowed", () => {
    expect(
      listFaults({
        use: [
          plugin("one", ({ hooks }) => {
            hooks.request.tap("twin", () => {});
            hooks.response.tap("twin", () => {});
          }),
        ],
      }),
    ).toEqual([]);
  });

  it.each([["soon"], [""], ["constructor"], [NaN], [Infinity], [null], [["late"]]])(
    "the unknown stage %j",
    (stage) => {
      expect(findFaults({ name: "me", stage })).toEqual([
        `The tap "me" (plugin p0) of the hook request has the stage "${String(stage)}", which does not exist. ` +
          "Use first, early, normal, late, last, or a number.",
      ]);
    },
  );

  it("a target that is not text", () => {
    expect(findFaults({ name: "me", before: [5, null] })).toEqual([
      expect.stringContaining('must run before "5"'),
      expect.stringContaining('must run before "null"'),
    ]);
  });

  it("all of them are reported together, with faults of other kinds", () => {
    const faults = listFaults({
      use: [
        plugin("order", ({ hooks }) => {
          hooks.jwt.tap({ name: "a", before: "nobody" }, () => {});
          hooks.session.tap({ name: "a", stage: "soon" as "late" }, () => {});
          hooks.response.tap("a", () => {});
          hooks.response.tap("a", () => {});
        }),
        plugin("throws", () => {
          throw new Error("no");
        }),
      ],
    });
    expect(faults).toHaveLength(4);
  });

  it("`ready` does not run if the order is impossible", () => {
    const seen: string[] = [];
    const faults = listFaults({
      use: [
        plugin("order", ({ hooks }) => {
          hooks.ready.tap({ name: "a", before: "nobody" }, () => void seen.push("ready"));
        }),
      ],
    });
    expect(faults).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  it("a tap without a function, and one without a name, name the plugin", () => {
    expect(
      listFaults({ use: [plugin("p0", ({ hooks }) => hooks.jwt.tap("me", undefined as never))] }),
    ).toEqual([
      'The tap "me" (plugin p0) of the hook jwt is not a function. Pass one as the second argument.',
    ]);
    expect(findFaults("")).toEqual([
      'A tap of the hook request (plugin p0) has no name. Name it: tap("name", fn), or tap({ name: "name", stage: ' +
        '"early" }, fn).',
    ]);
  });
});
