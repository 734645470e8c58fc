/** Paid resources of the x402 Bazaar, merged by recipient of the payment: one agent for each recipient. */
import { z } from "zod";
import { urlOf } from "../../urls.ts";
import { blankEntry } from "../entry.ts";
import { foreignAddress, foreignCount, foreignLink, foreignText, foreignTime } from "../foreign-text.ts";
import { field, type ItemReader } from "./reader.ts";

const item = z.looseObject({
  resource: z.string().min(1).max(2_000),
  accepts: z.array(z.looseObject({ network: z.string(), payTo: z.string() })).min(1),
  quality: z.looseObject({}).nullish(),
});

/** Chain names of x402 version 1; version 2 uses CAIP-2 instead. Chains other than EVM chains are left out. */
const CHAINS: Record<string, number> = { base: 8453, "base-sepolia": 84532, avalanche: 43114, polygon: 137 };
const chainOf = (network: string): number | null =>
  CHAINS[network.toLowerCase()] ?? (/^eip155:\d{1,9}$/.test(network) ? Number(network.slice(7)) : null);

export const x402Bazaar: ItemReader<"x402-bazaar"> = {
  key: "x402-bazaar",
  idOf: (raw) => field(raw, "resource"),
  read(raw) {
    const listed = item.parse(raw);
    const endpoint = foreignLink(listed.resource);
    const paid = listed.accepts.find(({ network, payTo }) => chainOf(network) !== null && foreignAddress(payTo));
    if (!endpoint) throw new Error("The resource is no http URL.");
    // Recipients on other chains have addresses that cannot be compared with EVM addresses.
    if (!paid) return null;
    const payTo = foreignAddress(paid.payTo)!;
    return {
      sourceId: listed.resource,
      warnings: [],
      entry: blankEntry({
        platform: "x402-bazaar",
        agentId: payTo,
        name: foreignText(listed.serviceName, 64) ?? foreignText(urlOf(endpoint)?.host, 64) ?? payTo,
        address: payTo,
        chainId: chainOf(paid.network),
        description: foreignText(listed.description, 2_000, { lines: true }),
        imageUrl: foreignLink(listed.iconUrl),
        registry: "api.cdp.coinbase.com",
        services: [{ name: "x402", endpoint, version: listed.x402Version === 2 ? "2" : "1" }],
        x402Supported: true,
        traitCount: 1,
        uses: foreignCount(listed.quality?.l30DaysTotalCalls),
        usedAt: foreignTime(listed.quality?.lastCalledAt),
      }),
    };
  },
  /** Name and description are those of the most used resource; uses are summed. */
  gather(items) {
    const byUse = items.toSorted((a, b) => b.entry.uses - a.entry.uses);
    const entries = byUse.map(({ entry }) => entry);
    const [first] = entries as [(typeof entries)[0], ...typeof entries];
    return {
      ...first,
      description: entries.find(({ description }) => description !== null)?.description ?? null,
      imageUrl: entries.find(({ imageUrl }) => imageUrl !== null)?.imageUrl ?? null,
      services: entries.flatMap(({ services }) => services).slice(0, 64),
      traitCount: entries.length,
      uses: Math.min(
        2 ** 31 - 1,
        entries.reduce((sum, { uses }) => sum + uses, 0),
      ),
      usedAt: entries.reduce<string | null>(
        (last, { usedAt }) => (usedAt !== null && (last === null || usedAt > last) ? usedAt : last),
        null,
      ),
    };
  },
};
