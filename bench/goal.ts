/** A goal of a benchmark with what was reached, as every benchmark prints it. */
export const goal = (what: string, reached: string, met: boolean): string =>
  `${met ? "met    " : "NOT MET"}  ${what}: ${reached}`;
