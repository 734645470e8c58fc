/** The sender on nodes with the limits of public and commercial endpoints: what is queued is signed, sent and mined. */
import { expect, it } from "vitest";
import { chainAt } from "../../harness/chain-at.ts";
import { LONG } from "../../harness/patience.ts";
import { PROFILES, type ProfileName } from "../../harness/strict-node/profiles.ts";
import { startStrictNode } from "../../harness/strict-node/strict-node.ts";
import { until } from "../../harness/until.ts";
import { casesOf } from "../support/share.ts";
import { endedPerTest, perFile, perTest } from "../support/started.ts";
import { startSending, tokensOf } from "./support/sending.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());
const ended = endedPerTest();

it.each(casesOf(Object.keys(PROFILES), ["public-base"]))(
  "profile %s: twelve queued mints end in one token each, and nothing is refused in vain",
  async (profile) => {
    const node = ended(await startStrictNode({ upstream: on.rpcUrl, profile: profile as ProfileName }));
    const queued = [];
    for (let n = 0; n < 12; n++) queued.push(await desk.accept(desk.request()));
    const sender = desk.send({ pollMs: 500, rebroadcastMs: 4_000, stuckAfterMs: LONG }, chainAt(node.url));
    for (const { mintId, wallet } of queued) {
      expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
      expect(await tokensOf(on, wallet)).toHaveLength(1);
    }
    await sender.stop();
    const { requests, refused } = node.counts();
    const all = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);
    // A share: the longer it takes, the more is asked.
    expect(all(refused)).toBeLessThan(all(requests) / 4);
  },
);

it("without work reads the chain only when it is due, and a new intent wakes it", async () => {
  let reads = 0;
  let rounds = 0;
  let now = Date.now();
  const over = {
    headBlock() {
      reads++;
      return on.chain.headBlock();
    },
  };
  const clock = () => {
    rounds++;
    return new Date(now);
  };
  desk.send({ restMs: 3_600_000 }, over, clock);
  const restful = async () => {
    const before = rounds;
    await until("many rounds", async () => rounds > before + 30);
  };
  await restful();
  const first = reads;
  await restful();
  expect(reads).toBe(first);
  now += 3_600_000;
  await restful();
  expect(reads).toBe(first + 1);
  const { mintId } = await desk.accept(desk.request());
  expect(await desk.decided(mintId)).toMatchObject({ state: "minted" });
});
