/** Finds the agent of a reference by its row of the directory. */
import { checksum, parseAddress } from "../../core/addresses.ts";
import type { AgentRef } from "../../core/agents/facts.ts";
import type { OwnedFacts } from "../../core/agents/reservations.ts";
import { OWN_PLATFORM, type PlatformKey, readOwnTokenRef } from "../../core/directory/platforms.ts";
import { fail } from "../../core/errors.ts";
import { findDirectoryId } from "../../db/directory/rows.ts";
import { agentsOfWallet } from "../../db/income/followed.ts";
import { isNoIndex } from "../../db/sql/transaction.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { untilShown, waitForDirectory } from "./until-shown.ts";

export const unknownAgent = () =>
  fail("not_found", "The directory knows no such agent.", {
    hint: "GET /api/terminal/agents?q=<name, wallet or id> finds agents of all registries.",
  });

/** An agent by its row of the directory; an own one that the index has and the directory not yet, by its facts. */
type Meant = { id: number } | { id: null; own: OwnedFacts };

/** The own agent that a reference may mean. */
function ownRef(ref: string, platform: PlatformKey = OWN_PLATFORM): AgentRef | null {
  if (platform !== OWN_PLATFORM) return null;
  const address = parseAddress(ref);
  const tokenId = readOwnTokenRef(ref) ?? (/^(0|[1-9]\d{0,14})$/.test(ref) ? Number(ref) : null);
  return address ? { address } : tokenId === null ? null : { tokenId };
}

/** The directory is there before the index. */
const factsOf = ({ facts }: Pick<HandlerDeps, "facts">, ref: AgentRef) =>
  facts(ref).catch((error: unknown) => {
    if (isNoIndex(error)) return null;
    throw error;
  });

/**
 * The agent of a reference, as `findDirectoryId` has it. Of an own agent the chain's index decides: its row of the directory
 * comes a moment later.
 * @param minBlock waits until the directory shows this block, and an own agent its row
 * @throws Failure not_found, indexer_behind
 */
export async function directoryAgent(
  deps: Pick<HandlerDeps, "db" | "directory" | "facts" | "index">,
  ref: string,
  { platform, minBlock }: { platform?: PlatformKey | undefined; minBlock?: number | undefined },
): Promise<Meant> {
  await waitForDirectory(deps, minBlock);
  const asked = ownRef(ref, platform);
  const row = () => findDirectoryId(deps.db, ref, OWN_PLATFORM);
  let id = asked && (await row());
  if (asked !== null && id === null) {
    const own = await factsOf(deps, asked);
    if (own !== null && minBlock === undefined) return { id: null, own };
    if (own !== null) {
      const isShown = async () => {
        id = await row();
        return id !== null;
      };
      await untilShown(deps, "The directory does not show the agent yet.", [isShown]);
    }
  }
  id ??= await findDirectoryId(deps.db, ref, platform);
  return id === null ? unknownAgent() : { id };
}

/** The wallet of an own agent without a row, where it is known to be its own, and how many agents have it. */
export async function walletWithoutRow({ db }: Pick<HandlerDeps, "db">, { agentAddress, walletConfirmed }: OwnedFacts) {
  if (!walletConfirmed) return { wallet: null, walletAgents: 0 };
  return { wallet: checksum(agentAddress), walletAgents: 1 + (await agentsOfWallet(db, { wallet: agentAddress })) };
}
