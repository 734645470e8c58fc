/** Who wallets are known as: the addresses that a page shows are asked for together. */
import { queryOptions } from "@tanstack/react-query";
import { call } from "../api/answer.ts";
import type { WalletName } from "../api/types.ts";

/** Addresses of one request, as the API takes them. */
const MAX_AT_ONCE = 100;
/** Milliseconds in which the parts of a page ask: those that are rendered together do so at once. */
const GATHERED_MS = 20;
/** Milliseconds for which a name is used again. */
const HOLDS_MS = 60_000;

type Waiting = { address: string; answer: PromiseWithResolvers<WalletName | null> };
let waiting: Waiting[] = [];

function ask(address: string): Promise<WalletName | null> {
  const answer = Promise.withResolvers<WalletName | null>();
  if (waiting.length === 0) setTimeout(send, GATHERED_MS);
  waiting.push({ address, answer });
  if (waiting.length === MAX_AT_ONCE) send();
  return answer.promise;
}

async function send(): Promise<void> {
  const asked = waiting;
  waiting = [];
  if (asked.length === 0) return;
  try {
    const addresses = asked.map(({ address }) => address).join(",");
    const { data } = await call<{ wallets: WalletName[] }>(`/api/v2/wallets?addresses=${addresses}`);
    const known = new Map(data.wallets.map((name) => [name.address.toLowerCase(), name]));
    for (const { address, answer } of asked) answer.resolve(known.get(address) ?? null);
  } catch (error) {
    for (const { answer } of asked) answer.reject(error);
  }
}

/** @returns the query of one wallet's name; null is one that nothing is known of */
export const walletName = (address: string) =>
  queryOptions({
    queryKey: ["wallet-name", address.toLowerCase()],
    queryFn: () => ask(address.toLowerCase()),
    staleTime: HOLDS_MS,
  });
