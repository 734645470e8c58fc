/** Links an agent to a human: signed by the token's present owner and by the human, ended by the next transfer. */
import { checksum } from "../../core/addresses.ts";
import { fail, failNoAgent } from "../../core/errors.ts";
import { lockAgentWrites } from "../../db/agents/profiles.ts";
import { holdingOf } from "../../db/agents/token-ownership.ts";
import { linkHumanAgent, lockHuman, otherLinks, unlinkHumanAgent } from "../../db/principals/human-writes.ts";
import { type HumanRef, humanIdOf } from "../../db/principals/humans.ts";
import { transaction } from "../../db/sql/transaction.ts";
import type { OwnerCaller, TokenCaller, WalletCaller } from "../caller-types.ts";
import { nameOf } from "../guards/caller-name.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { noSuchHuman, withIndex } from "./humans.ts";

/** Bound: links of one human. */
export const LINKS_PER_HUMAN = 50;

/**
 * Links an agent. The wallet that signed has to own the token; it must be the human's own, or the request must also
 * carry the human's access token.
 * Check then write: fewer than 50 links and the owner, then the link; the agent may be sold, or linked twice: the
 * agent's advisory lock, the human's row lock, and the owner in the insert's `where`.
 * @returns the human's id
 * @throws Failure not_found, forbidden, conflict, indexer_behind
 */
export const linkAgent = (
  deps: HandlerDeps,
  caller: OwnerCaller,
  asked: { human: HumanRef; tokenId: number },
  now: number,
): Promise<string> =>
  withIndex(
    transaction(deps.db, async (tx) => {
      const { identity } = deps.config.contracts;
      const { tokenId } = asked;
      // Serialised, so that an agent that its owner links twice at once is linked to one human.
      await lockAgentWrites(tx, tokenId);
      const id = await humanIdOf(tx, asked.human, identity.address);
      const principal = id === null ? null : await lockHuman(tx, id);
      if (id === null || principal === null) return noSuchHuman();
      if (principal !== nameOf(caller) && (caller.tokenCaller === null || principal !== nameOf(caller.tokenCaller)))
        fail("forbidden", "Only the human itself links agents to itself.", {
          hint: "Sign with the human's own wallet; for one without a wallet, send its access token with the owner's X-SIWA.",
        });
      const holding = await holdingOf(tx, tokenId, identity.address);
      if (holding === null) return failNoAgent({ tokenId });
      if ((await otherLinks(tx, { id, tokenId, identity: identity.address })) >= LINKS_PER_HUMAN)
        fail("conflict", `A human has at most ${LINKS_PER_HUMAN} linked agents.`);
      const link = { humanId: id, tokenId, owner: caller.wallet };
      if (!(await linkHumanAgent(tx, link, identity.address, new Date(now))))
        fail("forbidden", `Agent ${tokenId} belongs to another wallet.`, {
          hint: `Sign with the owner ${checksum(holding.owner)}.`,
        });
      return id;
    }),
  );

/**
 * Ends a link between a human and an agent, by the human itself.
 * @returns the human's id
 * @throws Failure not_found, forbidden, indexer_behind
 */
export const unlinkAgent = (
  deps: HandlerDeps,
  caller: WalletCaller | TokenCaller,
  asked: { human: HumanRef; tokenId: number },
): Promise<string> =>
  withIndex(
    transaction(deps.db, async (tx) => {
      const id = await humanIdOf(tx, asked.human, deps.config.contracts.identity.address);
      const principal = id === null ? null : await lockHuman(tx, id);
      if (id === null || principal === null) return noSuchHuman();
      if (principal !== nameOf(caller))
        fail("forbidden", "Only the human itself ends its links.", { hint: "Sign with the human's own wallet." });
      if (!(await unlinkHumanAgent(tx, { humanId: id, tokenId: asked.tokenId })))
        fail("not_found", `Agent ${asked.tokenId} is not linked to this human.`);
      return id;
    }),
  );
