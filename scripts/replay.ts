/**
 * `npm run trial -- replay <folder> [RPC URL]`: computes every score of a snapshot again from its files, and compares them, the
 * root of its epoch, and what the chain has of it. Ends with 1 and the first differences where something is not as it says.
 */
import { createPublicClient, http } from "viem";
import { credRootsAbi } from "../abis/cred-roots.ts";
import { manifestSigner } from "../core/snapshots/manifest.ts";
import { replaySnapshot } from "../workers/snapshots/replay.ts";

const [folder, rpcUrl] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Usage: npm run trial -- replay <folder of a snapshot> [RPC URL]");
  process.exit(1);
}
const { manifest, scores, pending, unscored, root, problems } = await replaySnapshot(folder);
if (manifest !== null) {
  console.log(`snapshot ${manifest.id} of chain ${manifest.chainId}, block ${manifest.block}`);
  console.log(`signed by ${manifestSigner(manifest) ?? "no account"}`);
  console.log(
    `${scores} of ${scores + pending + unscored} scores are what the formula gives; ${pending} await a change of`,
  );
  console.log(
    `their agent, ${unscored} agents have none yet; root of epoch ${manifest.epoch?.epoch ?? "-"}: ${root ?? "none"}`,
  );
  if (rpcUrl !== undefined && root !== null && problems.length === 0)
    problems.push(...(await onChain(rpcUrl, manifest.epoch!)));
}
for (const problem of problems) console.error(`differs: ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);

/** Compares an epoch with the contract's. */
async function onChain(
  url: string,
  { contract, epoch, root: said }: NonNullable<NonNullable<typeof manifest>["epoch"]>,
) {
  const client = createPublicClient({ transport: http(url) });
  const published = await client.readContract({
    address: contract,
    abi: credRootsAbi,
    functionName: "epochOf",
    args: [BigInt(epoch)],
  });
  console.log(`root of epoch ${epoch} on chain: ${published.root}`);
  return published.root === said ? [] : [`the chain has root ${published.root} for epoch ${epoch}`];
}
