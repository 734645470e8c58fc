/** Which agent of the canonical ERC-8004 registry a reference means: its reviews are asked for. */
import { recordsAt } from "../../core/agents/registration-file.ts";
import { OWN_PLATFORM, type PlatformKey, readOwnTokenRef } from "../../core/directory/platforms.ts";
import type { DirectoryRow } from "../../core/directory/row.ts";
import { fail } from "../../core/errors.ts";
import { canonicalIdentityOf } from "../../db/agents/canonical-identity.ts";
import { ERC8004 } from "../../db/directory/erc8004-rows.ts";
import { directoryDetail, findDirectoryId } from "../../db/directory/rows.ts";
import type { RegistryAgent } from "../../db/reviews/review-facts.ts";
import type { HandlerDeps } from "../handler-deps.ts";

const unknownAgent = () => fail("not_found", "No registry has such an agent.");

const ownTokenOf = ({ platform, tokenId }: DirectoryRow) => (platform === OWN_PLATFORM ? tokenId : null);
const tokenIn = (ref: string) => readOwnTokenRef(ref) ?? (/^(0|[1-9]\d{0,14})$/.test(ref) ? Number(ref) : null);

/** The agent of a reference: an own one as the canonical registry has it. @returns null for one that has no reviews */
export async function reviewed(
  { db, config }: Pick<HandlerDeps, "db" | "config">,
  ref: string,
  platform: PlatformKey | undefined,
): Promise<RegistryAgent | null> {
  const id = await findDirectoryId(db, ref, platform);
  const found = id === null ? null : await directoryDetail(db, id);
  // Of an own agent the chain's index decides: its row of the directory comes a moment later.
  const tokenId = found ? ownTokenOf(found.row) : (platform ?? OWN_PLATFORM) === OWN_PLATFORM ? tokenIn(ref) : null;
  if (tokenId !== null) {
    const own = await canonicalIdentityOf(db, tokenId, recordsAt(config.service.publicUrl));
    return own === "none" ? null : (own ?? unknownAgent());
  }
  if (found === null) return unknownAgent();
  const { row } = found;
  if (row.platform !== ERC8004 || row.registry === null) return null;
  return { registry: row.registry, agentId: row.agentId };
}
