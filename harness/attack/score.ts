/** What came of the attacks: each try was refused, was harmless, or succeeded, which fails the run. */

/** How one attack reports the results of its tries. */
export type Tell = {
  /** The service said no: a 4xx, or a limit. */
  refused(times?: number): void;
  /** Served, or left without an answer, and nothing was got by it: what it did to others is the oracle's question. */
  harmless(times?: number): void;
  /** Keeps what was answered, for who reads the report. */
  answered(replies: readonly { status: number; code?: string }[]): void;
  /** It got what was not paid for, or what is another's. */
  succeeded(what: string): void;
};

type Line = {
  tried: number;
  refused: number;
  succeeded: string[];
  /** Answers by status and code. */
  answers: Record<string, number>;
};

export type Score = ReturnType<typeof openScore>;

/** @param say gets each success at once */
export function openScore(names: readonly string[], say: (line: string) => void) {
  const lines = new Map<string, Line>(
    names.map((name) => [name, { tried: 0, refused: 0, succeeded: [], answers: {} }]),
  );
  return {
    lines,
    of(name: string): Tell {
      const line = lines.get(name)!;
      return {
        refused(times = 1) {
          line.tried += times;
          line.refused += times;
        },
        harmless(times = 1) {
          line.tried += times;
        },
        answered(replies) {
          for (const { status, code } of replies) {
            const answer = `${status || "none"}${code && status >= 400 ? ` ${code}` : ""}`;
            line.answers[answer] = (line.answers[answer] ?? 0) + 1;
          }
        },
        succeeded(what) {
          line.tried++;
          line.succeeded.push(what);
          say(`ATTACK SUCCEEDED ${name}: ${what}`);
        },
      };
    },
  };
}

/** Answers counted: everything from 400 on is refused. */
export function count(tell: Tell, replies: readonly { status: number; code?: string }[]): void {
  tell.answered(replies);
  const refused = replies.filter(({ status }) => status >= 400).length;
  tell.refused(refused);
  tell.harmless(replies.length - refused);
}
