/** The list of signals: the cred formula (spec: Cred Score System), in the order in which breakdowns show them. */
import { activity } from "./activity.ts";
import { age } from "./age.ts";
import { coinbase } from "./coinbase.ts";
import { narrative } from "./narrative.ts";
import { origin } from "./origin.ts";
import { soulbound } from "./soulbound.ts";
import { traits } from "./traits.ts";
import { verify } from "./verify.ts";

export const SIGNALS = [activity, traits, verify, coinbase, age, narrative, origin, soulbound] as const;

export type SignalKey = (typeof SIGNALS)[number]["key"];
/** The raw value of each signal, integers 0 to 100. */
export type RawSignals = Record<SignalKey, number>;
