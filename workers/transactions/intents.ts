/** The effects of intents on the database once the chain has decided: one entry for each key prefix. */
import { awardEffect } from "./intents/award.ts";
import type { IntentEffect } from "./intents/effect.ts";
import { exchangeEffect } from "./intents/exchange.ts";
import { mintEffect } from "./intents/mint.ts";
import { oracleEffect } from "./intents/oracle.ts";
import { profileEffect, verifyEffect } from "./intents/profile.ts";
import { proofEffect } from "./intents/proof.ts";
import { rootEffect } from "./intents/root.ts";
import { tokenUriEffect } from "./intents/token-uri.ts";

export const INTENT_EFFECTS: readonly IntentEffect[] = [
  mintEffect,
  awardEffect,
  profileEffect,
  verifyEffect,
  proofEffect,
  exchangeEffect,
  tokenUriEffect,
  rootEffect,
  oracleEffect,
];

/** The effect of an intent; undefined for those without one (the fillers of nonce gaps). */
export function effectOf(intentKey: string, effects = INTENT_EFFECTS): IntentEffect | undefined {
  const prefix = intentKey.slice(0, intentKey.indexOf(":"));
  return effects.find((effect) => effect.prefix === prefix);
}
