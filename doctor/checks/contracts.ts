/** Checks of the configured contracts: code at each address, the block where it begins, the identity contract's version. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import { checksum } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { firstBlockWhere } from "../../core/first-block.ts";
import { READ_GAS } from "../../core/transactions/gas-bounds.ts";
import { type Check, error, type Finding, ok, skipped, warning } from "../check.ts";
import type { World } from "../world.ts";

/** Blocks between the contract's creation and the start block beyond which a start block costs needless requests. */
const NEEDLESS_BLOCKS = 500_000;

const code: Check = {
  name: "contracts",
  needs: ["node"],
  limitMs: 60_000,
  run: (world) =>
    Promise.all(
      Object.entries(world.config.contracts).map(([name, contract]) => contractFinding(world, name, contract)),
    ),
};

async function contractFinding(
  world: World,
  subject: string,
  { address, startBlock }: { address: Address; startBlock?: number },
): Promise<Finding> {
  const shown = checksum(address);
  const present = await world.chain.code(address);
  if (present === "0x")
    return error(
      `no code at ${shown}`,
      `Set ${subject} in CONTRACTS to the contract's address on chain ${world.config.chain.id}, or name a node of the right chain.`,
      subject,
    );
  const bytes = `${shown}, ${(present.length - 2) / 2} bytes of code`;
  if (startBlock === undefined) return ok(bytes, subject);
  const began = await firstCode(world, address, startBlock);
  if (began === null)
    return skipped(
      `${bytes}; no node keeps the state before block ${startBlock}, so its first block is not known`,
      subject,
    );
  const words = `${bytes} since block ${began}`;
  // Attestations before the start block are read when they are needed.
  if (began < startBlock && subject !== "eas")
    return warning(
      `${words}, but it is indexed from ${startBlock}`,
      `Set ${subject}=@${began} in CONTRACTS: events between these blocks are missing in the index. The index is built anew after the change.`,
      subject,
    );
  if (began > startBlock + NEEDLESS_BLOCKS)
    return ok(
      `${words}; ${subject}=@${began} in CONTRACTS would save the requests for ${began - startBlock} blocks`,
      subject,
    );
  return ok(`${words}; indexed from ${startBlock}`, subject);
}

/** The block where a contract's code begins; null when no node has the state that shows it. */
async function firstCode({ nodes, chain }: World, address: string, startBlock: number): Promise<number | null> {
  const head = await chain.headBlock();
  const before = Math.max(0, Math.min(startBlock, head) - 1);
  for (const node of nodes) {
    const hasCode = async (block: number): Promise<boolean> => {
      const answer = await node.request("eth_getCode", [address, `0x${block.toString(16)}`]);
      if (!answer.ok || typeof answer.result !== "string") throw new NoState();
      return answer.result !== "0x";
    };
    try {
      const isEarlier = await hasCode(before);
      return await firstBlockWhere(isEarlier ? 0 : before, isEarlier ? before : head, hasCode);
    } catch {
      // Another node may keep the state, or answer.
    }
  }
  return null;
}

class NoState extends Error {}

/** PUSH4 of `coinbaseVerified(uint256)`: the deployed version has the exchange's members (its source, not the first ABI). */
const EXCHANGE_SELECTOR = "63978b2afc";

const version: Check = {
  name: "identity version",
  needs: ["node"],
  async run({ chain, config }) {
    const deployed = await chain.code(config.contracts.identity.address);
    if (deployed === "0x") return skipped("there is no identity contract");
    if (deployed.includes(EXCHANGE_SELECTOR)) return ok("with coinbaseVerified (selector 978b2afc)");
    return warning(
      "without coinbaseVerified (selector 978b2afc is not in its code)",
      "It is an earlier version or a proxy: verifications by the exchange cannot be written to it.",
    );
  },
};

const ORACLE_ABI = parseAbi([
  "function getCredData(uint256 tokenId) view returns (uint8 score, uint40 updatedAt)",
  "function batchUpdate(uint256[] tokenIds, uint8[] scores)",
]);
/** An account that owns no contract; its key is not known to anybody. */
const UNAUTHORIZED = "0x00000000000000000000000000000000000000aa";

/** The oracle's interface has no read of its owner, so a write is simulated: of token 0, with the score that is there. */
const oracle: Check = {
  name: "cred oracle",
  needs: ["node"],
  async run({ chain, config, accounts }) {
    const { address: to } = config.credOracle;
    if (!to) return ok("CRED_ORACLE_ADDRESS is not set: no scores are written token by token");
    const held = await chain.call({
      to,
      data: encodeFunctionData({ abi: ORACLE_ABI, functionName: "getCredData", args: [0n] }),
    });
    if (!held.ok || held.data.length !== 130)
      return error(
        `${checksum(to)} does not answer getCredData`,
        "Name an oracle with this interface in CRED_ORACLE_ADDRESS, or leave it unset.",
      );
    if (accounts.deployer === null)
      return skipped(`${checksum(to)}; DEPLOYER_PRIVATE_KEY is not set, so the service writes nothing`);
    const [score] = decodeFunctionResult({ abi: ORACLE_ABI, functionName: "getCredData", data: held.data });
    const data = encodeFunctionData({ abi: ORACLE_ABI, functionName: "batchUpdate", args: [[0n], [score]] });
    const mayWrite = async (from: Address) => (await chain.call({ from, to, data, gas: READ_GAS })).ok;
    if (!(await mayWrite(accounts.deployer)))
      return error(
        `${checksum(to)} refuses a write of ${checksum(accounts.deployer)}`,
        "Transfer the oracle to this account (transferOwnership), or use its owner's key: no score reaches it otherwise.",
      );
    if (await mayWrite(UNAUTHORIZED))
      return warning(
        `${checksum(to)} accepts writes of any account`,
        "Scores in it prove nothing: use an oracle with an owner.",
      );
    return ok(`${checksum(to)} accepts writes of ${checksum(accounts.deployer)}`);
  },
};

/** Selectors of CredRoots: `publisher()`, `owner()`, `paused()`. */
const ROOTS_READS = ["0x8c72c54e", "0x8da5cb5b", "0x5c975abb"] as const;

const roots: Check = {
  name: "cred roots",
  needs: ["node"],
  async run({ chain, config, accounts }) {
    const { address } = config.credRoots;
    if (!address) return skipped("CRED_ROOTS_ADDRESS is not set: no roots of scores are published");
    const answers = await Promise.all(ROOTS_READS.map((data) => chain.call({ to: address, data })));
    const words = answers.map((answer) => (answer.ok && answer.data.length === 66 ? answer.data : null));
    const shown = checksum(address);
    const [publisher, owner, paused] = words;
    if (!publisher || !owner || !paused)
      return error(`no CredRoots at ${shown}`, "Deploy it and set CRED_ROOTS_ADDRESS: see docs/operate/cred-roots.md.");
    const [account, owned] = [publisher, owner].map((word) => `0x${word.slice(26)}` as Address);
    const by = `${shown}, published by ${checksum(account!)}`;
    const { deployer } = accounts;
    if (deployer === null) return skipped(`${by}; DEPLOYER_PRIVATE_KEY is not set`);
    if (deployer !== account && deployer !== owned)
      return error(
        `${by}, but DEPLOYER_PRIVATE_KEY is of ${checksum(deployer)}`,
        `Let its owner call setPublisher(${checksum(deployer)}).`,
      );
    if (BigInt(paused) !== 0n)
      return warning(`${by}, is paused`, "Contracts refuse all proofs meanwhile. Its owner ends that by unpause().");
    return ok(by);
  },
};

export const CONTRACT_CHECKS: readonly Check[] = [code, version, oracle, roots];
