/** Every attack there is. Adding one is an entry in one of these lists. */
import type { Attack } from "./attack.ts";
import { CHAIN } from "./attacks/chain.ts";
import { DATA } from "./attacks/data.ts";
import { DOORS } from "./attacks/doors.ts";
import { FLOODS } from "./attacks/floods.ts";
import { IDENTITY } from "./attacks/identity.ts";
import { INCOME } from "./attacks/income.ts";
import { MONEY } from "./attacks/money.ts";
import { REGISTRY } from "./attacks/registry.ts";
import { STANDING } from "./attacks/standing.ts";

/** In the order of their numbers, which are those of docs/engineering/reliability.md. */
export const ATTACKS: readonly Attack[] = [
  ...MONEY,
  ...CHAIN,
  ...IDENTITY,
  ...DATA,
  ...DOORS,
  ...FLOODS,
  ...STANDING,
  ...REGISTRY,
  ...INCOME,
].toSorted((a, b) => a.number - b.number);
