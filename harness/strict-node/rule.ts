/** What a rule of a strict node is: a limit of an endpoint, applied to an HTTP request, to a call or to its answer. */

export type Call = { id: unknown; method: string; params: unknown[] };
export type Answer = { result?: unknown; error?: { code: number; message: string; data?: unknown } };

/** An error in the provider's words. */
export type Refusal = {
  code: number;
  message: string;
  data?: unknown;
  /** HTTP status of a single call, or of a refused batch; 200 without one. */
  status?: number;
  headers?: Record<string, string>;
};

/** What a rule may know: the node behind the profile, and the time. */
export type StrictView = {
  /** One call to the node behind, uncounted. */
  ask(method: string, params: unknown[]): Promise<Answer>;
  /** Number of the newest block. */
  head(): Promise<number>;
  /** Milliseconds. */
  now(): number;
};

export type Rule = {
  /** The key of its count. */
  name: string;
  /** Refuses a whole HTTP request, with one error object. */
  request?(calls: Call[], isBatch: boolean, view: StrictView): Refusal | null;
  /** Refuses a call, or answers in place of the node. */
  call?(call: Call, view: StrictView): RuleResult | Promise<RuleResult>;
  /** Refuses or changes what the node answered. */
  answer?(call: Call, answer: Answer, view: StrictView): RuleResult | Promise<RuleResult>;
  /** Refuses an HTTP answer by its bytes, with one error object. */
  response?(bytes: number): Refusal | null;
};

/** A refusal, an answer in place of the node's, or nothing. */
export type RuleResult = Refusal | { result: unknown } | null;
