/** Decimal amounts of USDC as people read them. */
import { LOCALES } from "../formats.ts";

const exact = new Intl.NumberFormat(LOCALES, { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const cents = new Intl.NumberFormat(LOCALES, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat(LOCALES, { notation: "compact", maximumFractionDigits: 1 });

/** All digits: `1,234.5605`. As text: a number would round large amounts. */
export const usdcExact = (decimal: string): string => exact.format(decimal as `${number}`);
/** Few digits: cents above a dollar, `12.3K` above ten thousand. */
export const usdcShort = (decimal: string): string =>
  Number(decimal) < 1 ? usdcExact(decimal) : (Number(decimal) < 10_000 ? cents : compact).format(Number(decimal));
