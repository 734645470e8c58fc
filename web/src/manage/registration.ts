/** The transaction that registers an agent in the ERC-8004 registry: kept in this browser from before the wallet is asked until it is indexed. */
import { queryOptions } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { z } from "zod";
import type { crossRegistrationsSchema } from "../../../api/schemas/registries.ts";
import { get } from "../api/answer.ts";
import { liveEvery } from "../api/events.ts";
import { agentPath } from "../api/queries.ts";
import { keep, kept } from "../stored.ts";
import { WalletRefusal } from "../wallet/providers.ts";
import { useWallet } from "../wallet/session.ts";
import { type Position, positionOf, receiptOf, sendTransaction } from "../wallet/transaction.ts";
import { type Trace, traceOf } from "./lost-transaction.ts";

export type CrossRegistrations = z.output<typeof crossRegistrationsSchema>;
type Call = { to: string; data: string; method: string };

/** A transaction whose hash is known. `block` once it is in one; `agentId` of the registration that it changes, null for a new one. */
export type SentTransaction = { hash: string; agentId: string | null; block?: number; reverted?: boolean };
/** What the wallet was asked to send, while its answer with the hash is missing: a reload loses the answer, not the transaction. */
export type AskedTransaction = Position & { to: string; data: string; agentId: string | null; askedAt: number };
type FollowedTransaction = SentTransaction | AskedTransaction;

export const hasHash = (followed: FollowedTransaction): followed is SentTransaction => "hash" in followed;

/** Milliseconds between two reads of the index while a transaction is on its way. */
const POLL_MS = 2_000;

/** @param following whether a transaction is on its way */
export const registrationsOf = (tokenId: number, following: boolean) => {
  const path = `${agentPath(String(tokenId))}/crossreg`;
  const live = liveEvery();
  return queryOptions({
    queryKey: [path],
    queryFn: get<CrossRegistrations>(path),
    ...live,
    ...(following && { refetchInterval: POLL_MS }),
  });
};

/** The number that `setAgentURI(uint256,string)` names: its first word after the selector. */
const agentIdOf = ({ method, data }: Call): string | null =>
  method.startsWith("setAgentURI") ? String(BigInt(`0x${data.slice(10, 74)}`)) : null;

/** The last transaction of an agent, until it is forgotten; it is kept over a reload. */
export function useSent(tokenId: number) {
  const key = `crossreg.${tokenId}`;
  const wallet = useWallet();
  const [followed, set] = useState(() => kept<FollowedTransaction>("browser", key));
  const [trouble, setTrouble] = useState("");
  const [trace, setTrace] = useState<Trace>("none");
  const change = (next: FollowedTransaction | null) => {
    keep("browser", key, next);
    set(next);
  };
  const sent = followed && hasHash(followed) ? followed : null;
  const asked = followed && !hasHash(followed) ? followed : null;
  const waiting = sent !== null && sent.block === undefined && !sent.reverted;
  useEffect(() => {
    if (!waiting || !wallet) return;
    const ending = new AbortController();
    receiptOf(wallet, sent.hash, ending.signal).then(
      ({ status, blockNumber }) =>
        change({ ...sent, ...(status === "success" ? { block: blockNumber } : { reverted: true }) }),
      (error: Error) => {
        if (!ending.signal.aborted) setTrouble(error.message);
      },
    );
    return () => ending.abort();
    // The hash names the transaction; everything else of it follows from that.
  }, [waiting, sent?.hash, wallet]);
  useEffect(() => {
    if (!asked || !wallet) return;
    let timer: ReturnType<typeof setTimeout>;
    let left = false;
    const look = async (): Promise<void> => {
      // The wallet may have answered an earlier visit of this page meanwhile.
      const known = kept<FollowedTransaction>("browser", key);
      if (!known || hasHash(known)) return set(known);
      const found = await traceOf(wallet.provider, asked);
      if (left) return;
      if (typeof found === "object") return change({ hash: found.hash, agentId: asked.agentId });
      setTrace(found);
      timer = setTimeout(look, POLL_MS);
    };
    void look();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [asked?.askedAt, wallet]);
  return {
    followed,
    trouble,
    trace,
    /** Keeps what it asks before the wallet is asked. @throws WalletRefusal */
    async send(call: Call): Promise<void> {
      const agentId = agentIdOf(call);
      const { to, data } = call;
      const asking: AskedTransaction = { ...(await positionOf(wallet!)), to, data, agentId, askedAt: Date.now() };
      keep("browser", key, asking);
      try {
        change({ hash: await sendTransaction(wallet!, call), agentId });
      } catch (error) {
        // Only a refusal of the person says that nothing was sent.
        if (error instanceof WalletRefusal && error.declined) keep("browser", key, null);
        else {
          setTrouble((error as Error).message);
          set(asking);
        }
        throw error;
      }
    },
    forget() {
      setTrouble("");
      change(null);
    },
  };
}

/** How far a transaction is, and the registration that it made or changed. */
export function stageOf(followed: FollowedTransaction, { registrations }: CrossRegistrations) {
  const registration = registrations.find((one) => made(followed, one));
  if (registration) return { stage: "indexed", registration } as const;
  if (!hasHash(followed)) return { stage: "asked", registration } as const;
  const stage = followed.reverted ? "reverted" : followed.block === undefined ? "sent" : "mined";
  return { stage, registration } as const;
}

/** Without a hash a registration of this agent that is younger than the question is its answer. */
function made(followed: FollowedTransaction, one: CrossRegistrations["registrations"][number]): boolean {
  const { agentId } = followed;
  if (hasHash(followed))
    return agentId === null
      ? one.txHash === followed.hash
      : one.agentId === agentId && followed.block !== undefined && one.updatedBlock >= followed.block;
  return agentId === null
    ? one.file !== "other" && one.registeredBlock > followed.block
    : one.agentId === agentId && one.updatedBlock > followed.block;
}
