/** Signal: points awarded on chain. */
import { BONUSES } from "../mints/bonuses.ts";
import { clamp, type Signal } from "./signal.ts";

const POINT_VALUE = 2;

export const activity: Signal<"activity"> = {
  key: "activity",
  label: "Onchain Activity",
  description: "Points awarded on chain, times 2",
  weight: 20,
  raw: (facts) => clamp(facts.points * POINT_VALUE),
  sql: { value: () => `least(100, a.points * ${POINT_VALUE})` },
  steps({ tokenId }, raw) {
    const points = Math.ceil((100 - raw) / POINT_VALUE);
    const action = `Earn ${points} more ${points === 1 ? "point" : "points"} on chain; an agent you refer brings ${BONUSES.referrer.points}`;
    return raw < 100 ? [{ action, endpoint: `GET /api/v2/agent/${tokenId}/referral`, raw: 100 }] : [];
  },
  evidence: ({ points }, { tokenLink }) => [{ source: "onchain", detail: `${points} points`, reference: tokenLink }],
};
