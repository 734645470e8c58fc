/** Writes of agents' profiles on a real chain: for whoever controls the agent when they are signed, each once. */
import { describe, expect, it } from "vitest";
import { identityAbi } from "../../abis/identity.ts";
import { type Update, updateOffchain, updateOnchain } from "../../api/services/update.ts";
import type { Address } from "../../core/agents/facts.ts";
import { findFacts } from "../../db/agents/facts.ts";
import { transaction } from "../../db/sql/transaction.ts";
import { insertChainWrite } from "../../db/transactions/chain-writes.ts";
import { until } from "../../harness/until.ts";
import { FAULT_POINTS } from "../../workers/transactions/sender.ts";
import { casesOf } from "../support/share.ts";
import { perFile, perTest } from "../support/started.ts";
import { startSending } from "./support/sending.ts";

const on = perFile(startSending);
const desk = perTest(() => on.fresh());

const STRANGER = `0x${"5a".repeat(20)}` as Address;

/** An agent on the chain and in the index. */
async function agent() {
  const { tokenId, wallet } = await desk.minted();
  await desk.plantAgent(tokenId, wallet);
  return { tokenId, wallet };
}
const ada = perTest(agent);
type Agent = Awaited<ReturnType<typeof agent>>;
const write = (
  kind: "on" | "off",
  { tokenId, wallet }: Agent,
  update: Omit<Update, "social">,
  { indexedBlock = 0 }: { indexedBlock?: number } = {},
) =>
  transaction(desk.db, async (tx) => {
    const [facts] = await findFacts(tx, [{ tokenId }], { identity: on.identity });
    const frame = { tx, facts: facts!, now: new Date(), paid: false };
    if (kind === "off") return [String(await updateOffchain(frame, update))];
    const asked = { wallet, identity: on.identity, indexedBlock, traitPriceWei: 0n };
    return (await updateOnchain(frame, update, asked)).intentKeys;
  });
const settled = (keys: string[]) =>
  until("the writes are decided", async () => {
    const intents = await Promise.all(keys.map((key) => desk.intent(key)));
    return intents.every(({ state }) => state === "mined" || state === "failed") ? intents : undefined;
  });
const at = (tokenId: number) => ({ address: on.identity, abi: identityAbi, args: [BigInt(tokenId)] }) as const;
const personalityOf = (tokenId: number) => on.evm.readContract({ ...at(tokenId), functionName: "getPersonality" });
const narrativeOf = (tokenId: number) => on.evm.readContract({ ...at(tokenId), functionName: "getNarrative" });
const traitsOf = (tokenId: number) => on.evm.readContract({ ...at(tokenId), functionName: "getTraits" });
const fields = async (tokenId: number) =>
  Object.fromEntries(
    (await desk.db.query("select field, value from offchain.profile_field where token_id = $1", [tokenId])).rows.map(
      ({ field, value }) => [field, value],
    ),
  );

it("brings the profile to the chain, and what was kept off chain in line with it", async () => {
  await write("off", ada, {
    personality: { quirks: "hums", riskTolerance: 2 },
    narrative: { origin: "old" },
    traits: [{ name: "kind", category: "character" }],
  });
  const keys = await write("on", ada, {
    personality: { humor: "dry" },
    narrative: { origin: "new" },
    traits: [{ name: "kind", category: "character" }],
  });
  desk.send();
  await settled(keys);
  expect(await personalityOf(ada.tokenId)).toMatchObject({ quirks: "hums", humor: "dry", riskTolerance: 2 });
  expect(await narrativeOf(ada.tokenId)).toMatchObject({ origin: "new", mission: "" });
  expect(await traitsOf(ada.tokenId)).toMatchObject([{ name: "kind", category: "character" }]);
  expect(await fields(ada.tokenId)).toEqual({
    "personality.quirks": "hums",
    "personality.riskTolerance": 2,
    "narrative.origin": "new",
  });
  expect((await desk.db.query("select * from offchain.profile_trait")).rows).toEqual([]);
});

it("adds a trait once that a reorganisation has taken out of the index, and that the sender has not sent again yet", async () => {
  const traits = [{ name: "kind", category: "character" }];
  const keys = await write("on", ada, { traits });
  desk.send();
  const [first] = await settled(keys);
  const { blockNumber } = await on.evm.getTransactionReceipt({ hash: first!.tx_hash! });
  // The index of this test never shows a trait, as after a reorganisation.
  const asked = (category: string, blocks: number) =>
    write("on", ada, { traits: [{ name: "kind", category }] }, { indexedBlock: Number(blockNumber) + blocks });
  expect(await asked("character", 0)).toEqual(keys);
  expect(await asked("character", 1_799)).toEqual(keys);
  await expect(asked("skill", 1_799)).rejects.toMatchObject({ code: "request_in_progress" });
  expect(await traitsOf(ada.tokenId)).toHaveLength(1);
  // By now it is final: what is not there was lost for good.
  expect(await asked("character", 1_800)).not.toEqual(keys);
});

it("does not touch a later write off chain", async () => {
  const keys = await write("on", ada, { narrative: { lore: "chain" } });
  await write("off", ada, { narrative: { lore: "later" } });
  desk.send();
  await settled(keys);
  expect(await fields(ada.tokenId)).toEqual({ "narrative.lore": "later" });
});

it("is not signed for somebody who sold the agent meanwhile", async () => {
  const keys = await write("on", ada, { narrative: { origin: "mine" }, traits: [{ name: "mine", category: "c" }] });
  await desk.db.query("update onchain.agent set owner = $1, agent_address = $1", [STRANGER]);
  desk.send();
  const intents = await settled(keys);
  expect(intents.map(({ state, error }) => [state, error])).toEqual(
    keys.map(() => ["failed", "the agent changed hands"]),
  );
  expect(await narrativeOf(ada.tokenId)).toMatchObject({ origin: "" });
  expect(await traitsOf(ada.tokenId)).toEqual([]);
});

it("verifies nobody whose number went to another agent before it was signed", async () => {
  const intentKey = `verify:${ada.tokenId}`;
  await desk.queueCall(intentKey, "verify", [BigInt(ada.tokenId)]);
  const asked = { tokenId: ada.tokenId, slot: "verified", intentKey, wallet: ada.wallet, at: new Date() };
  await insertChainWrite(desk.db, asked);
  await desk.db.query("update onchain.agent set owner = $1, agent_address = $1", [STRANGER]);
  desk.send();
  expect(await settled([intentKey])).toMatchObject([{ state: "failed", error: "the agent changed hands" }]);
});

describe("kill -9 of the sender", () => {
  it.each(casesOf(FAULT_POINTS, ["sender.after-broadcast"]))("at %s: each part is written once", async (point) => {
    const keys = await write("on", ada, {
      narrative: { manifesto: "once" },
      traits: [
        { name: "one", category: "c" },
        { name: "two", category: "c" },
      ],
    });
    expect(await desk.spawnSender(point).ended).toBe("SIGKILL");
    desk.send();
    await settled(keys);
    expect((await traitsOf(ada.tokenId)).map(({ name }) => name)).toEqual(["one", "two"]);
    const logs = await on.evm.getContractEvents({
      address: on.identity,
      abi: identityAbi,
      eventName: "NarrativeSet",
      args: { tokenId: BigInt(ada.tokenId) },
      fromBlock: 0n,
    });
    expect(logs).toHaveLength(1);
  });
});
