/** Stats with amounts as JSON has them: units as decimal strings. */
import { formatUnits } from "viem/utils";

export type UnitsAsText<T> = T extends bigint ? string : T extends object ? { [K in keyof T]: UnitsAsText<T[K]> } : T;

/** @param stats of what JSON can write, and bigints */
export const unitsAsText = <T>(stats: T): UnitsAsText<T> =>
  JSON.parse(JSON.stringify(stats, (_, value) => (typeof value === "bigint" ? String(value) : value)));

/** An amount of USDC, decimal. @param units as decimal text */
export const usdcText = (units: string): string => formatUnits(BigInt(units), 6);
