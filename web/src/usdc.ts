/** USDC units as dollars and cents, exact to the unit: `1,000.00`. */
export function usdcIn(locales: string[], amount: string | bigint): string {
  const digits = String(amount).padStart(7, "0");
  const format = new Intl.NumberFormat(locales, { minimumFractionDigits: 2, maximumFractionDigits: 6 });
  // As text: a number would round large amounts.
  return format.format(`${digits.slice(0, -6)}.${digits.slice(-6)}` as `${number}`);
}
