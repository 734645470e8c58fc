/** What is said in short of an agent's payments and jobs: the same words on its page, in Compare and in its report. */
import type { Offering } from "../api/types.ts";
import { count, counted } from "../formats.ts";
import type { Short } from "../parts/evidence.ts";
import { usdcShort } from "./amounts.ts";

export function paymentsInShort(window: Offering["payments"]): Short {
  if (window === null || window.raw.payments === 0) return { figure: null, words: "no payment to its wallet is known" };
  const { days, raw, organic } = window;
  const by = counted(organic.payers, "payer", "payers");
  if (organic.payments > 0)
    return { figure: `${usdcShort(organic.usdc)} USDC`, words: `organic, by ${by} in ${count(days)} days` };
  return { figure: `${usdcShort("0")} USDC`, words: `organic of ${usdcShort(raw.usdc)} paid in ${count(days)} days` };
}

export function jobsInShort(window: Offering["jobs"]): Short {
  if (window === null || window.raw.funded === 0) return { figure: null, words: "no job of it is known" };
  const { days, organic } = window;
  return {
    figure: counted(organic.completed, "job", "jobs"),
    words: `completed for ${counted(organic.clients, "client", "clients")} in ${count(days)} days, organic`,
  };
}
