/** Agents of Agentverse. Their addresses are bech32 (`agent1q…`), not EVM addresses, and serve as ids too. */
import { z } from "zod";
import { blankEntry } from "../entry.ts";
import { foreignCount, foreignLink, foreignText, foreignTime } from "../foreign-text.ts";
import { field, type ItemReader } from "./reader.ts";

const item = z.looseObject({
  address: z.string().regex(/^(?:test-)?agent1[02-9ac-hj-np-z]{20,90}$/i),
  name: z.string().nullish(),
  protocols: z.array(z.looseObject({})).nullish(),
});

export const agentverse: ItemReader<"agentverse"> = {
  key: "agentverse",
  idOf: (raw) => field(raw, "address")?.toLowerCase() ?? null,
  read(raw) {
    const agent = item.parse(raw);
    const address = agent.address.toLowerCase();
    const protocols = (agent.protocols ?? []).flatMap(
      (p) => foreignText(p.name, 100) ?? foreignText(p.digest, 100) ?? [],
    );
    const uses = foreignCount(agent.total_interactions);
    return {
      sourceId: address,
      warnings: [],
      entry: blankEntry({
        platform: "agentverse",
        agentId: address,
        name: foreignText(agent.name, 64) ?? `${address.slice(0, 14)}…`,
        address,
        description:
          foreignText(agent.description, 2_000, { lines: true }) ?? foreignText(agent.readme, 500, { lines: true }),
        imageUrl: foreignLink(agent.avatar_href),
        registry: "agentverse.ai",
        traitCount: new Set(protocols.map((name) => name.toLowerCase())).size,
        createdAt: foreignTime(agent.created_at),
        uses,
        // Agentverse reports that there were recent uses, not when. The last change is the closest known time.
        usedAt: foreignCount(agent.recent_interactions) > 0 ? foreignTime(agent.last_updated) : null,
      }),
    };
  },
};
