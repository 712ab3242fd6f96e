// The process of one side of a case: node contender.ts <group> <case> <side>.
import { Missing, type Case, type Message } from "./measure.ts";

const [group, row, side] = process.argv.slice(2);
const works: (() => unknown)[] = [];
const send = (message: Message) => void process.send?.(message);

const { cases } = (await import(`./cases/${group}.ts`)) as { cases: Case[] };
const sides = cases.find(({ name }) => name === row)?.sides ?? ({} as Case["sides"]);
try {
  const round = await sides[side]((work) => works.push(work));
  const answer = async (message: unknown): Promise<void> => {
    if (message === "round") return send({ number: await round() });
    for (const work of works.reverse()) await work();
    process.exit();
  };
  process.on("message", (message) => void answer(message));
  send({ ready: true });
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  process.on("message", () => process.exit());
  send({ missing: error.message });
}
