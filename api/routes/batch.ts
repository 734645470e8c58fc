/** Many agents in one request. */
import { z } from "zod";
import { parseAddress } from "../../core/addresses.ts";
import type { Address } from "../../core/agents/facts.ts";
import { summaryView } from "../../core/views/summary.ts";
import { loadFacts } from "../../db/agents/facts.ts";
import { agentsOfWallets } from "../../db/agents/wallets.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { endpoint } from "../endpoint.ts";
import { batchSchema } from "../schemas/agent-search.ts";
import { siteOf } from "../services/agent-facts.ts";

const MAX_AGENTS = 100;

const asked = z.union([z.string(), z.number()]);
type BatchQuery = z.output<typeof asked>;

export const batch = endpoint({
  method: "post",
  path: "/api/v2/agents/batch",
  operationId: "getAgents",
  tag: "Agents",
  summary: `Up to ${MAX_AGENTS} agents at once, by token id or wallet address`,
  description:
    "`found` is in the order asked, each agent once. `missing` and `invalid` repeat what was asked as it was asked.",
  guard: { bucket: "reads" },
  data: true,
  body: z.strictObject({
    ids: z
      .array(asked)
      .max(MAX_AGENTS)
      .meta({
        description: "Token ids (numbers or decimal strings) and 0x addresses, in any mixture",
        examples: [[0, "1", "0x19B16428f0721a5f627F190Ca61D493A632B423F"]],
      }),
  }),
  responses: { 200: { description: "What was found, what does not exist, what is no id", schema: batchSchema } },
  async handler({ deps, body: { ids }, now }, json) {
    const refs = ids.map((id) => ({ id, ref: refOf(id) }));
    const addresses = refs.flatMap(({ ref }) => (typeof ref === "string" ? [ref] : []));
    const { tokenOf, facts } = await snapshot(deps.db, async (db) => {
      const byWallet = await agentsOfWallets(db, addresses);
      const tokenOf = (ref: number | Address) => (typeof ref === "number" ? ref : byWallet.get(ref));
      const tokenIds = refs.flatMap(({ ref }) => (ref === null ? [] : (tokenOf(ref) ?? [])));
      return { tokenOf, facts: await loadFacts(db, [...new Set(tokenIds)]) };
    });
    const known = new Set(facts.map(({ tokenId }) => tokenId));
    const exists = (ref: number | Address) => {
      const tokenId = tokenOf(ref);
      return tokenId !== undefined && known.has(tokenId);
    };
    const site = siteOf(deps.config);
    const at = new Date(now);
    return json({
      found: facts.map((f) => summaryView(f, site, at)),
      missing: refs.filter(({ ref }) => ref !== null && !exists(ref)).map(({ id }) => id),
      invalid: refs.filter(({ ref }) => ref === null).map(({ id }) => id),
    });
  },
});

/** A token id, an address, or neither. */
function refOf(id: BatchQuery): number | Address | null {
  if (typeof id === "number") return Number.isSafeInteger(id) && id >= 0 ? id : null;
  if (/^(0|[1-9]\d{0,15})$/.test(id)) return Number.isSafeInteger(Number(id)) ? Number(id) : null;
  return parseAddress(id);
}
