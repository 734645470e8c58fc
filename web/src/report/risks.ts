/** What a reader of a report should weigh: each risk follows from fields of the report alone. */
import type { MessageKey } from "../say.tsx";
import type { SignedContent } from "./library.ts";

type Level = "high" | "medium" | "low";
export type Risk = { level: Level; key: MessageKey; values: Record<string, string | number> };

const YOUNG_DAYS = 30;
/** Share of failed sessions that is worth a word, and that is worth a warning. */
const FAILED = { low: 0.1, high: 0.3 };
/** Share of the score that may lapse, from which on it is worth a word. */
const LAPSING = 1 / 3;

/** Risks of an agent, greatest first. */
export function risksOf({ agent, credScore, scoreBreakdown, verifications, sessions, onchain }: SignedContent): Risk[] {
  const ended = sessions.success + sessions.failure + sessions.partial;
  const failed = ended === 0 ? 0 : sessions.failure / ended;
  const lapsing = (scoreBreakdown.verify?.weightedScore ?? 0) + (scoreBreakdown.coinbase?.weightedScore ?? 0);
  const empty = Object.values(scoreBreakdown).filter(({ rawScore }) => rawScore === 0).length;
  const accounts = verifications.total - Number(verifications.siwa) - Number(verifications.coinbase);
  const risk = (holds: boolean, level: Level, key: string, values: Risk["values"] = {}): Risk[] =>
    holds ? [{ level, key: `report.risk.${key}` as MessageKey, values }] : [];
  return [
    ...risk(!agent.walletConfirmed, "high", "unconfirmed"),
    ...risk(!verifications.siwa, "high", "walletUnproven"),
    ...risk(failed >= FAILED.high, "high", "failures", { failed: sessions.failure, ended }),
    ...risk(failed >= FAILED.low && failed < FAILED.high, "medium", "failures", { failed: sessions.failure, ended }),
    ...risk(accounts === 0, "medium", "noAccounts"),
    ...risk(agent.ageDays < YOUNG_DAYS, "medium", "young", { n: agent.ageDays }),
    ...risk(empty >= 4, "medium", "thin", { empty, all: Object.keys(scoreBreakdown).length }),
    ...risk(credScore.score > 0 && lapsing / credScore.score >= LAPSING, "medium", "lapsing", {
      points: Math.round(lapsing),
      score: credScore.score,
    }),
    ...risk(!agent.soulbound, "low", "transferable"),
    ...risk(ended === 0, "low", "noSessions"),
    ...risk(onchain === undefined, "low", "offchain"),
    ...risk(onchain !== undefined && onchain.score !== credScore.score, "low", "epochDiffers", {
      epoch: onchain?.epoch ?? 0,
      score: onchain?.score ?? 0,
    }),
  ];
}
