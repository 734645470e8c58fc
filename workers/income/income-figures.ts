/** Weighs the payments to agents' wallets. */
import { weighIncome } from "../../core/income/weigh.ts";
import { incomeFacts } from "../../db/income/income-facts.ts";
import { incomeFigures as figures, storeIncome } from "../../db/income/income-figures.ts";
import { weighingJob } from "./weigh-due.ts";

export const incomeFigures = weighingJob({
  name: "income-figures",
  figures,
  facts: incomeFacts,
  store: (db, { id, facts: { seen, facts, totals }, now }, date) =>
    storeIncome(db, { id, wallet: facts.wallet, seen, ...weighIncome(facts, now, totals) }, date),
  failed: "payments to an agent could not be weighed; the next run tries again",
});
