/** Gas funds: how much the account may still commit, and the flag by which the API refuses new writes in time. */
import { committedWei, storeSenderState } from "../../db/tx-outbox.ts";
import type { SenderSession } from "./session.ts";

/** Wei of the account, and how many of them no transaction under way may need. */
export type Funds = { balanceWei: bigint; spendableWei: bigint };

export async function readFunds({ db, chain, signer }: SenderSession): Promise<Funds> {
  const balanceWei = await chain.balance(signer.address);
  return { balanceWei, spendableWei: balanceWei - (await committedWei(db, signer.address)) };
}

/** An unchanged state is written again after this long, as a sign of life. */
const REPEAT_MS = 10_000;

/**
 * Publishes whether new writes may be accepted: the balance is at least the configured minimum, and nothing queued or
 * under way waited for funds in this round.
 */
export async function publishFunds(session: SenderSession, { balanceWei, spendableWei }: Funds): Promise<void> {
  const { db, signer, clock, options, published, log } = session;
  const funded = balanceWei >= options.minBalanceWei && spendableWei >= 0n && !session.unfunded;
  const now = clock();
  if (published?.funded === funded && now.getTime() - published.at < REPEAT_MS) return;
  if (published && published.funded !== funded) log.warn({ funded, balanceWei }, "gas funds changed");
  await storeSenderState(db, { address: signer.address, balanceWei, funded, checkedAt: now });
  session.published = { funded, at: now.getTime() };
}
