/** Scores, CredRoots and the job that publishes them, on the chain of a sender's tests. */
import { fileURLToPath } from "node:url";
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { type Abi, createWalletClient, encodeDeployData, type Hex, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { credRootsAbi } from "../../../abis/cred-roots.ts";
import { readBuild } from "../../../contracts/builds.ts";
import type { Address } from "../../../core/agents/facts.ts";
import { SIGNALS } from "../../../core/cred/cred.ts";
import { LEAF_TYPES, leafValues } from "../../../core/cred/tree/leaf.ts";
import { type CredEpoch, epochByNumber, proofOf } from "../../../db/cred/cred-epochs.ts";
import { startProgram } from "../../../devnet/start-program.ts";
import { CHILD_ENV } from "../../../harness/child-env.ts";
import { agentRow } from "../../../harness/onchain.ts";
import { until } from "../../../harness/until.ts";
import { credRoots } from "../../../workers/cred/cred-roots.ts";
import type { Desk, Sending } from "./sending.ts";

type Settings = { now?: Date; fault?: (point: string) => void; over?: object };

/** Deploys a CredRoots whose publisher is the sender's account; its owner is another one. */
export async function rootsWorld(on: Sending, desk: Desk) {
  const owner = privateKeyToAccount(on.devnet.accounts[9]!.privateKey);
  const wallet = createWalletClient({ account: owner, chain: base, transport: http(on.rpcUrl) });
  const { abi, bytecode } = readBuild("CredRoots");
  const data = encodeDeployData({ abi: abi as Abi, bytecode, args: [owner.address, on.signer.address] });
  const send = async (call: { to?: Address; data: Hex }) => {
    const hash = await wallet.sendTransaction(call);
    return on.evm.waitForTransactionReceipt({ hash, pollingInterval: 10 });
  };
  const { contractAddress } = await send({ data });
  const address = contractAddress!.toLowerCase() as Address;
  const roots = { address, abi: credRootsAbi } as const;
  const credRootsConfig = { address, intervalMs: 3_600_000, kept: 3 };

  const world = {
    address,
    roots,
    owner,
    /** Gives agents scores, and the index the agents. */
    async score(scores: Record<number, number>) {
      const tokenIds = Object.keys(scores).map(Number);
      const columns = Object.keys(agentRow(0)).filter((key) => key !== "narrative");
      const snake = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const rows = tokenIds.map((tokenId) => {
        const row = Object.entries(agentRow(tokenId)).map(([key, value]) => [snake(key), value]);
        return JSON.stringify(Object.fromEntries(row), (_, v) => (typeof v === "bigint" ? Number(v) : v));
      });
      const names = columns.map(snake).join(", ");
      await desk.db.query(
        `insert into onchain.agent (${names}) select ${names}
         from jsonb_populate_recordset(null::onchain.agent, $1::jsonb) on conflict do nothing`,
        [`[${rows.join()}]`],
      );
      await desk.db.query(
        `insert into offchain.cred (token_id, score, ${SIGNALS.map(({ key }) => key).join(", ")}, seen_block, computed_at)
         select t, s, ${SIGNALS.map(() => "0").join(", ")}, 950, '2026-01-01' from unnest($1::int8[], $2::int2[]) as x(t, s)
         on conflict (token_id) do update set score = excluded.score`,
        [tokenIds, Object.values(scores)],
      );
    },

    /** One run of the job. @returns number of epochs it stored */
    run: ({ now, fault = () => {}, over = {} }: Settings = {}) =>
      credRoots.run(
        {
          ...{ db: desk.db, chain: on.chain, signer: on.signer, log: desk.log, fault },
          clock: () => now ?? new Date(),
          config: { ...on.config, database: { url: desk.url }, credRoots: { ...credRootsConfig, ...over } },
        } as never,
        {},
      ),

    /** Runs the job in a process of its own that kills itself at a fault point. @returns its end */
    runAndDie: (faultPoint: string) => {
      const script = fileURLToPath(new URL("cred-roots-process.ts", import.meta.url));
      const child = startProgram(process.execPath, [script], {
        env: {
          ...CHILD_ENV,
          ...on.env,
          CRED_ROOTS_ADDRESS: address,
          DATABASE_URL: desk.url,
          FAULT_POINT: faultPoint,
        },
        stdio: ["ignore", "inherit", "inherit"],
      });
      return new Promise<NodeJS.Signals | null>((done) => child.once("exit", (_code, signal) => done(signal)));
    },

    /** Epochs of the database, oldest first. */
    async epochs(): Promise<CredEpoch[]> {
      const { rows } = await desk.db.query<{ epoch: string }>("select epoch from offchain.cred_epoch order by epoch");
      return Promise.all(rows.map(async ({ epoch }) => (await epochByNumber(desk.db, Number(epoch)))!));
    },

    published: (epoch: number) =>
      until(`epoch ${epoch} is published`, async () =>
        (await world.epochs()).find((row) => row.epoch === epoch && row.state === "published"),
      ),

    /** Runs the job, and waits until its epoch is published. */
    async publish(epoch: number, settings?: Settings) {
      const stored = await world.run(settings);
      if (stored !== 1) throw new Error(`the job stored ${stored} epochs`);
      return world.published(epoch);
    },

    rootOf: (epoch: number) => on.evm.readContract({ ...roots, functionName: "rootOf", args: [BigInt(epoch)] }),
    latest: () => on.evm.readContract({ ...roots, functionName: "latest" }),
    /** The epochs that the chain's log has, with their transactions. */
    events: async () =>
      (await on.evm.getContractEvents({ ...roots, eventName: "RootPublished", fromBlock: 0n })).map(({ args }) =>
        Number(args.epoch),
      ),

    /** The score that an epoch proves by OpenZeppelin's tree, against the root on the chain; null without a proof. */
    async proven(epoch: number, tokenId: number): Promise<number | null> {
      const found = await proofOf(desk.db, epoch, tokenId);
      if (!found) return null;
      const { leaf, proof } = found;
      const root = await world.rootOf(epoch);
      return StandardMerkleTree.verify(root, [...LEAF_TYPES], [...leafValues(leaf)], proof) ? leaf.score : null;
    },

    /** A transaction of the contract's owner. */
    byOwner: (calldata: Hex) => send({ to: address, data: calldata }),
  };
  return world;
}
