/** The Ethos adapter against the simulator: many wallets in one call, the unknown ones told apart from zero. */
import { beforeAll, expect, it } from "vitest";
import { ethosScores } from "../../clients/ethos.ts";
import { perFile } from "../support/started.ts";
import { simulated, unavailable } from "./support/simulated.ts";

const sim = perFile(simulated);
const known = `0x${"A".repeat(40)}`;
const wallet = known.toLowerCase() as `0x${string}`;
const stranger: `0x${string}` = `0x${"b".repeat(40)}`;
beforeAll(() => sim.control("PUT", `ethos/${known}`, { score: 1511 }));

it("knows the planted score, and says of the others that it does not know", async () => {
  const ethos = ethosScores(sim.upstream("/ethos"));
  expect(await ethos.scores([wallet, stranger])).toEqual(
    new Map([
      [wallet, 1511],
      [stranger, null],
    ]),
  );
});

it.each([
  [{ [known]: { score: 0, level: "untrusted" } }, null],
  [{ [known]: null }, null],
  [{ [known]: { score: 9_999 } }, null],
  [{ [wallet]: { score: 1200, level: "neutral" } }, 1200],
])("reads %j as %j", async (body, score) => {
  await sim.fail("ethos", { body });
  expect(await ethosScores(sim.upstream("/ethos")).scores([wallet])).toEqual(new Map([[wallet, score]]));
});

it.each([{ status: 500 }, { status: 429 }, { body: "<html></html>" }, { body: [] }])(
  "takes %j for an error",
  async (plan) => {
    await sim.fail("ethos", plan);
    await unavailable(ethosScores(sim.upstream("/ethos")).scores([wallet]));
  },
);

it.each([3, "1200", [], { score: "1200" }, { score: null }, {}])(
  "says nothing about a wallet whose entry is %j, and the others' scores arrive",
  async (entry) => {
    await sim.fail("ethos", { body: { [known]: entry, [stranger]: { score: 1300 } } });
    expect(await ethosScores(sim.upstream("/ethos")).scores([wallet, stranger])).toEqual(
      new Map([
        [wallet, undefined],
        [stranger, 1300],
      ]),
    );
  },
);
