/** Loaded into a process before anything else: its clock goes wrong by CLOCK_SKEW_MS, as a machine's does whose time is not kept. */
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0);
const RightDate = Date;

class SkewedDate extends RightDate {
  constructor(...given: [] | [number | string | Date]) {
    if (given.length === 0) super(RightDate.now() + skewMs);
    else super(...(given as [number]));
  }
  static override now(): number {
    return RightDate.now() + skewMs;
  }
}

globalThis.Date = SkewedDate as DateConstructor;
