/** Agents of Virtuals' commerce protocol (ACP v1): wallets that do paid jobs. Many have a token of their own. */
import { z } from "zod";
import { blankEntry } from "../entry.ts";
import { foreignAddress, foreignCount, foreignLink, foreignText, foreignTime } from "../foreign-text.ts";
import { field, type ItemReader } from "./reader.ts";

const named = z.looseObject({});
const item = z.looseObject({
  id: z.union([z.int().min(0), z.string().regex(/^\d{1,15}$/)]),
  name: z.string().nullish(),
  walletAddress: z.string().nullish(),
  ownerAddress: z.string().nullish(),
  tokenAddress: z.string().nullish(),
  symbol: z.string().nullish(),
  offerings: z.array(named).nullish(),
  jobs: z.array(named).nullish(),
});

export const virtuals: ItemReader<"virtuals"> = {
  key: "virtuals",
  idOf: (raw) => field(raw, "id"),
  read(raw) {
    const agent = item.parse(raw);
    const sourceId = String(agent.id);
    const metrics = (agent.metrics ?? {}) as Record<string, unknown>;
    const jobs = [...(agent.jobs ?? []), ...(agent.offerings ?? [])].flatMap((job) => foreignText(job.name, 100) ?? []);
    const address = foreignAddress(agent.walletAddress);
    return {
      sourceId,
      warnings: agent.walletAddress && !address ? ["walletAddress is no address."] : [],
      entry: blankEntry({
        platform: "virtuals",
        agentId: sourceId,
        name: foreignText(agent.name, 64) ?? `Virtuals agent ${sourceId}`,
        address,
        chainId: 8453,
        description: foreignText(agent.description, 2_000, { lines: true }),
        imageUrl: foreignLink(agent.profilePic),
        registry: "acpx.virtuals.io",
        ownerAddress: foreignAddress(agent.ownerAddress),
        traitCount: new Set(jobs.map((job) => job.toLowerCase())).size,
        createdAt: foreignTime(agent.createdAt),
        tokenAddress: foreignAddress(agent.tokenAddress),
        tokenSymbol: foreignText(agent.symbol, 32),
        uses: foreignCount(agent.successfulJobCount ?? metrics.successfulJobCount),
        usedAt: foreignTime(metrics.lastActiveAt ?? agent.lastActiveAt),
      }),
    };
  },
};
