/** Measuring requests to upstreams. */

/** Gets the outcome of every request to an upstream. */
export interface UpstreamMeter {
  /**
   * @param upstream a name in the code or a host of the configuration, never a name that a stranger chose
   * @param outcome `answered`: a definite answer; `trouble`: none; `refused`: not sent, because of our rate, the breaker or the upstream's own pause
   */
  asked(upstream: string, outcome: "answered" | "trouble" | "refused", ms: number): void;
  /** @param open whether its circuit breaker is open now */
  watch(upstream: string, open: () => boolean): void;
}
