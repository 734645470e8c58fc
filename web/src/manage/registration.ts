/** The transaction that registers an agent in the ERC-8004 registry: what it costs, kept in this browser from before the wallet is asked until it is indexed, and found again when its hash is lost. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { z } from "zod";
import type { crossRegistrationsSchema } from "../../../api/schemas/updates.ts";
import { liveEvery } from "../api/events.ts";
import { agentPath, asked } from "../api/queries.ts";
import { LOCALES } from "../formats.ts";
import { keep, kept } from "../stored.ts";
import { BASE_CHAIN, type Position, positionOf, receiptOf, sendTransaction } from "../wallet/payment.ts";
import { ask, type Provider, useWallet, WalletRefusal } from "../wallet/session.ts";

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
export const registrationsOf = (tokenId: number, following: boolean) =>
  queryOptions({
    ...asked<CrossRegistrations>(`${agentPath(String(tokenId))}/crossreg`),
    ...liveEvery(),
    ...(following && { refetchInterval: POLL_MS }),
  });

/** The number that `setAgentURI(uint256,string)` names: its first word after the selector. */
const agentIdOf = ({ method, data }: Call): string | null =>
  method.startsWith("setAgentURI") ? String(BigInt(`0x${data.slice(10, 74)}`)) : null;

/** The last transaction of an agent, until it is forgotten; it is kept over a reload. */
export function useSent(tokenId: number) {
  const key = `crossreg.${tokenId}`;
  const wallet = useWallet();
  const [followed, set] = useState(() => kept<FollowedTransaction>("browser", key));
  const [error, setError] = useState("");
  const [trace, setTrace] = useState<Trace>("none");
  const change = (next: FollowedTransaction | null) => {
    keep("browser", key, next);
    set(next);
  };
  const sent = followed && hasHash(followed) ? followed : null;
  const request = followed && !hasHash(followed) ? followed : null;
  const waiting = sent !== null && sent.block === undefined && !sent.reverted;
  useEffect(() => {
    if (!waiting || !wallet) return;
    const ending = new AbortController();
    receiptOf(wallet, sent.hash, ending.signal).then(
      ({ status, blockNumber }) =>
        change({ ...sent, ...(status === "success" ? { block: blockNumber } : { reverted: true }) }),
      (error: Error) => {
        if (!ending.signal.aborted) setError(error.message);
      },
    );
    return () => ending.abort();
    // The hash names the transaction; everything else of it follows from that.
  }, [waiting, sent?.hash, wallet]);
  useEffect(() => {
    if (!request || !wallet) return;
    let timer: ReturnType<typeof setTimeout>;
    let left = false;
    const look = async (): Promise<void> => {
      // The wallet may have answered an earlier visit of this page meanwhile.
      const entry = kept<FollowedTransaction>("browser", key);
      if (!entry || hasHash(entry)) return set(entry);
      const trace = await traceOf(wallet.provider, request);
      if (left) return;
      if (typeof trace === "object") return change({ hash: trace.hash, agentId: request.agentId });
      setTrace(trace);
      timer = setTimeout(look, POLL_MS);
    };
    void look();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [request?.askedAt, wallet]);
  return {
    followed,
    error,
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
          setError((error as Error).message);
          set(asking);
        }
        throw error;
      }
    },
    forget() {
      setError("");
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

/**
 * What the wallet's node shows: `none` no transaction of the wallet since; `pending` one that waits for its block;
 * `other` one in a block, and no registration by it.
 */
type Trace = "none" | "pending" | "other";
type LostTransaction = Position & { to: string; data: string; agentId: string | null };

/** `Registered(uint256,string,address)` and `URIUpdated(uint256,string,address)` of the registry (abis/erc8004.ts). */
const REGISTERED = "0xca52e62c367d81bb2e328eb795f7c7ba24afb478408a26c0e201d155c449bc4a";
const URI_UPDATED = "0x3a2c7fffc2cba7582c690e3b82c453ea02a308326a98a3ad7576c606336409fb";

/** Hex digits of a selector with `0x`, and of one ABI word. */
const SELECTOR = 10;
const WORD = 64;

const word = (hex: string): string => `0x${hex.replace(/^0x/, "").toLowerCase().padStart(WORD, "0")}`;
/** The file's URI in ABI encoding: the last argument of the call, and all data of the log. */
const uriOfCall = ({ data, agentId }: LostTransaction): string =>
  data.slice(SELECTOR + WORD * (agentId === null ? 1 : 2));
const uriOfLog = (data: string): string => data.slice(2 + WORD);

/** Never throws: a node that gives no logs leaves the index to show the registration. */
async function traceOf(provider: Provider, lost: LostTransaction): Promise<{ hash: string } | Trace> {
  const { agentId, from, to, block, nonce } = lost;
  // Counts first: a transaction that they have is in the logs, which are read after them.
  const [mined, all] = await Promise.all(["latest", "pending"].map((state) => countOf(provider, from, state)));
  const topics = agentId === null ? [REGISTERED, null] : [URI_UPDATED, word(BigInt(agentId).toString(16))];
  const filter = {
    address: to,
    fromBlock: `0x${block.toString(16)}`,
    toBlock: "latest",
    topics: [...topics, word(from)],
  };
  const logs = await ask<{ data: string; transactionHash: string }[]>(provider, "eth_getLogs", [filter]).catch(
    () => [],
  );
  const found = logs.find((log) => uriOfLog(log.data) === uriOfCall(lost));
  if (found) return { hash: found.transactionHash };
  return mined! > nonce ? "other" : all! > nonce ? "pending" : "none";
}

/** Number of transactions of an account; 0 when the node does not say. */
const countOf = (provider: Provider, address: string, state: string): Promise<number> =>
  ask<string>(provider, "eth_getTransactionCount", [address, state]).then(Number, () => 0);

/** In wei. The fee is an estimate: on Base a fee for the chain below comes on top. */
type Gas = { fee: bigint; held: bigint };

/** `gas` is null until it is known, and where the wallet does not answer or is on another network than Base. */
export function useGas({ to, data }: { to: string; data: string }): { gas: Gas | null; look: () => void } {
  const wallet = useWallet();
  const { data: gas, refetch } = useQuery({
    queryKey: ["gas", wallet?.address, to, data],
    enabled: wallet !== null,
    queryFn: async (): Promise<Gas | null> => {
      const { provider, address } = wallet!;
      try {
        // The wallet changes to Base when it sends; until then its node may answer for another chain.
        if (Number(await ask<string>(provider, "eth_chainId")) !== BASE_CHAIN) return null;
        const held = BigInt(await ask<string>(provider, "eth_getBalance", [address, "latest"]));
        const price = BigInt(await ask<string>(provider, "eth_gasPrice"));
        const used = BigInt(await ask<string>(provider, "eth_estimateGas", [{ from: address, to, data }]));
        return { fee: used * price, held };
      } catch {
        return null;
      }
    },
  });
  return { gas: gas ?? null, look: () => void refetch() };
}

const amount = new Intl.NumberFormat(LOCALES as string[], { maximumSignificantDigits: 3 });
/** An amount in wei as ether: `0.00012`. */
export const ether = (wei: bigint): string => amount.format(Number(wei) / 1e18);
