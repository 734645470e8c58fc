/** What the index decodes from transactions is what the contracts say: both ways give the same rows. */
import fc from "fast-check";
import { encodeFunctionData, type Hex, parseEventLogs, toHex, zeroAddress } from "viem";
import { beforeAll, expect, inject, test } from "vitest";
import { easAbi } from "../../abis/eas.ts";
import { identityAbi } from "../../abis/identity.ts";
import { dumpIndex } from "../../harness/dump-index.ts";
import type { Rule } from "../../harness/strict-node/rules.ts";
import { startStrictNode } from "../../harness/strict-node/strict-node.ts";
import { provenAttestation } from "../../src/attestation-uids.ts";
import { callDecoder } from "../../src/call-data.ts";
import type { ChainEvent } from "../../src/event-facts.ts";
import { mintCall, narrativeCall, personalityCall } from "../../src/identity-calls.ts";
import { indexWorld } from "../support/index-world.ts";
import { deepIt, isDeep } from "../support/share.ts";
import { perFile } from "../support/started.ts";
import { randomHistory, runHistory } from "./support/random-history.ts";

/** Blocks of the history that is the same in every run, and has every kind of act. */
const FIXED_BLOCKS = 25;
/** Random blocks. The chain keeps its last 128 states; 31 more blocks make the history final. */
const RANDOM_BLOCKS = isDeep() ? 50 : 5;
const MULTICALL3 = "0xca11bde05977b3631167028862be2a173976ca11";

const world = perFile(indexWorld);
beforeAll(async () => {
  const [fixed] = fc.sample(randomHistory(FIXED_BLOCKS), { numRuns: 1, seed: 17 });
  const [random] = fc.sample(randomHistory(RANDOM_BLOCKS), { numRuns: 1, seed: inject("fuzz").seed });
  await runHistory(world, [...fixed!, ...random!]);
  await world.mineBlocks(31);
});

/** Events of a contract with their transactions, as Ponder gives them. */
async function eventsOf<const abi extends typeof identityAbi | typeof easAbi>(address: Hex, abi: abi) {
  const logs = parseEventLogs({ abi, logs: await world.chain.getLogs({ address, fromBlock: 0n }) });
  return Promise.all(
    logs.map(async (log) => {
      const [transaction, block] = await Promise.all([
        world.chain.getTransaction({ hash: log.transactionHash! }),
        world.chain.getBlock({ blockNumber: log.blockNumber! }),
      ]);
      return { log, block, transaction, event: { id: "", block, transaction, log } as unknown as ChainEvent };
    }),
  );
}

test("every decoded input says what the contract stored", async () => {
  const { chain, contracts } = world;
  const read = { address: contracts.identity, abi: identityAbi } as const;
  const events = await eventsOf(contracts.identity, identityAbi);
  const decoded = { mints: 0, personalities: 0, narratives: 0 };
  const seen = { mints: 0, personalities: 0, narratives: 0 };
  /** Transactions with a mint, and the mints of receivers' hooks in them. */
  const minting = new Set<Hex>();
  let nested = 0;
  /** The last event of a kind about a token in a block: the contract can be read at the end of blocks only. */
  const last = new Map(events.map(({ log }) => [`${log.eventName} ${log.blockNumber} ${log.topics[1]}`, log]));
  for (const { log, event } of events) {
    const { blockNumber } = log;
    if (log.eventName === "Transfer" && log.args.from === zeroAddress) {
      seen.mints++;
      const isFirst = !minting.has(log.transactionHash!);
      minting.add(log.transactionHash!);
      if (!isFirst) nested++;
      const call = isFirst ? mintCall(event, log.args.to) : null;
      if (call === null) continue;
      decoded.mints++;
      const agent = await chain.readContract({
        ...read,
        functionName: "getAgent",
        args: [log.args.tokenId],
        blockNumber: blockNumber!,
      });
      const { agentAddress: _, currentVersion: __, ...stored } = call;
      expect(agent).toMatchObject(stored);
      const registered = events.find(
        ({ log: other }) => other.eventName === "AgentRegistered" && other.args.tokenId === log.args.tokenId,
      )!.log;
      expect(registered.args).toMatchObject({ agentAddress: call.agentAddress, name: call.name, origin: call.origin });
    }
    if (log.eventName === "PointsAwarded" && log.args.reason === "update_personality") {
      seen.personalities++;
      const { tokenId } = log.args;
      const call = personalityCall(event, tokenId);
      if (call === null) continue;
      decoded.personalities++;
      const ofBlock = events.filter(
        ({ log: other }) =>
          other.eventName === "PointsAwarded" &&
          other.blockNumber === blockNumber &&
          other.args.tokenId === tokenId &&
          other.args.reason === "update_personality",
      );
      if (ofBlock.at(-1)!.log !== log) continue;
      const args = [tokenId] as const;
      expect(call).toEqual(
        await chain.readContract({ ...read, functionName: "getPersonality", args, blockNumber: blockNumber! }),
      );
    }
    if (log.eventName === "NarrativeSet") {
      seen.narratives++;
      const call = narrativeCall(event, log.args.tokenId, log.args.field);
      if (call === null) continue;
      decoded.narratives++;
      if (last.get(`NarrativeSet ${blockNumber} ${log.topics[1]}`) !== log) continue;
      const args = [log.args.tokenId] as const;
      expect(
        await chain.readContract({ ...read, functionName: "getNarrative", args, blockNumber: blockNumber! }),
      ).toMatchObject(call);
    }
  }
  expect(nested).toBeGreaterThan(0);
  for (const kind of ["mints", "personalities", "narratives"] as const) {
    expect(decoded[kind], kind).toBeGreaterThan(0);
    expect(decoded[kind], kind).toBeLessThan(seen[kind]);
  }
});

test("an input is decoded in its one canonical encoding, with bytes behind it, and in no other", () => {
  const args = [7n, "text"] as const;
  const input = encodeFunctionData({ abi: identityAbi, functionName: "setLore", args });
  const decode = callDecoder(identityAbi, ["setLore"]);
  const call = { name: "setLore", args };
  expect(decode(input)).toEqual(call);
  expect(decode(`${input}62617365`)).toEqual(call);
  expect(decode(input.toUpperCase().replace("0X", "0x") as Hex)).toEqual(call);
  const others = [
    "0x",
    input.slice(0, 10),
    input.slice(0, -2),
    // Another function, a text that is not UTF-8, a length beyond the input, and a text that stands one word later.
    input.replace(/^0x......../, "0x1e3bc657"),
    input.replace(toHex("text").slice(2), "fffefdfc"),
    input.replace(/0{63}4(?=7465)/, "f".repeat(64)),
    `${input.slice(0, 74)}${"60".padStart(64, "0")}${"0".repeat(64)}${input.slice(138)}`,
  ];
  expect(others.map((other) => decode(other as Hex))).toEqual(others.map(() => null));
});

test("every attestation that its uid proves is the one that EAS stores", async () => {
  let proven = 0;
  for (const { log, block, transaction } of await eventsOf(world.contracts.eas, easAbi)) {
    if (log.eventName !== "Attested") continue;
    const terms = provenAttestation(log.args, block.timestamp, transaction.input);
    const stored = await world.chain.readContract({
      address: world.contracts.eas,
      abi: easAbi,
      functionName: "getAttestation",
      args: [log.args.uid],
    });
    expect(provenAttestation(log.args, block.timestamp + 1n, transaction.input)).toBeNull();
    if (terms === null) continue;
    proven++;
    expect(stored).toMatchObject({ time: terms.time, expirationTime: terms.expirationTime, data: terms.data });
  }
  expect(proven).toBeGreaterThan(0);
});

/** Hides what handlers could decode or read in groups: they read the contract at every event. */
const READ_EVERYTHING: Rule[] = [
  {
    name: "no input",
    answer({ method }, { result }) {
      if (!method.startsWith("eth_getBlockBy") || !result) return null;
      const block = result as { transactions: (object | string)[] };
      const transactions = block.transactions.map((each) =>
        typeof each === "string" ? each : { ...each, input: "0x" },
      );
      return { result: { ...block, transactions } };
    },
  },
  {
    name: "no groups",
    call({ method, params }) {
      const { to } = (method === "eth_call" ? params[0] : {}) as { to?: string };
      return to?.toLowerCase() === MULTICALL3 ? { code: 3, message: "execution reverted" } : null;
    },
  },
];

deepIt(
  "a history gives the same rows whether its transactions are decoded or the contracts are read at every event",
  async () => {
    const nodes = [[], READ_EVERYTHING].map((profile) => startStrictNode({ upstream: world.anvil.url, profile }));
    const [decoding, reading] = await Promise.all(
      nodes.map(async (starting) => {
        const node = await starting;
        const database = await world.anotherDatabase();
        const indexer = world.startIndexer({ databaseUrl: database.url, env: { RPC_URL: node.url } });
        await world.settle(database);
        const rows = await dumpIndex(database);
        const calls = node.counts().requests.eth_call ?? 0;
        await indexer.stop();
        node.close();
        return { rows, calls };
      }),
    );
    const withoutSelector = (row: string) => row.replace(/"selector": (null|"0x[0-9a-f]*")/, "");
    expect(Object.keys(decoding!.rows)).toEqual(Object.keys(reading!.rows));
    for (const [table, rows] of Object.entries(reading!.rows))
      expect(decoding!.rows[table]!.map(withoutSelector), table).toEqual(rows.map(withoutSelector));
    expect(reading!.rows.agent!.length).toBeGreaterThan(5);
    expect(decoding!.calls).toBeLessThan(reading!.calls * 0.6);
  },
);
