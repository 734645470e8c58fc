/** Finds the agent of the canonical ERC-8004 registry whose reviews a reference means. */
import { OWN_PLATFORM, type PlatformKey } from "../../core/directory/platforms.ts";
import type { DirectoryRow } from "../../core/directory/row.ts";
import { canonicalIdentityOf } from "../../db/agents/canonical-identity.ts";
import { ERC8004 } from "../../db/directory/erc8004-rows.ts";
import { directoryDetail } from "../../db/directory/rows.ts";
import type { RegistryAgent } from "../../db/reviews/review-facts.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { directoryAgent, unknownAgent } from "./directory-agent.ts";

const ownTokenOf = ({ platform, tokenId }: DirectoryRow) => (platform === OWN_PLATFORM ? tokenId : null);

/** What is weighed, and how the canonical registry names it: by one number, or of an own agent by one or more. */
type Reviewed = { agent: RegistryAgent; registry: string; registrations: string[] };

/**
 * The agent of a reference: an own one with all registrations that it ever had.
 * @returns null for one that has no reviews
 * @throws Failure not_found, indexer_behind
 */
export async function reviewed(
  deps: Pick<HandlerDeps, "db" | "directory" | "facts" | "index">,
  ref: string,
  of: { platform?: PlatformKey | undefined },
): Promise<Reviewed | null> {
  const { db } = deps;
  const meant = await directoryAgent(deps, ref, of);
  const found = meant.id === null ? null : await directoryDetail(db, { id: meant.id });
  const tokenId = meant.id === null ? meant.own.tokenId : found && ownTokenOf(found.row);
  if (tokenId !== null) {
    const { registry, registrations } = (await canonicalIdentityOf(db, { tokenId })) ?? unknownAgent();
    if (registry === null) return null;
    return { agent: { registry: OWN_PLATFORM, agentId: String(tokenId) }, registry, registrations };
  }
  if (found === null) return unknownAgent();
  const { row } = found;
  if (row.platform !== ERC8004 || row.registry === null) return null;
  const { registry, agentId } = row;
  return { agent: { registry, agentId }, registry, registrations: [agentId] };
}
