/** The line for the database: a burst may wait, a line that stands sends the next one away at once, and nobody once it is short again. */
import { describe, expect, it } from "vitest";
import { admission } from "../../api/http/admission.ts";
import type { Failure } from "../../core/errors.ts";

const CONNECTIONS = 10;

function line() {
  const db = { waitingCount: 0, options: { max: CONNECTIONS } };
  let now = 0;
  const admit = admission(db, () => now);
  return {
    /** @returns the code of the refusal; null when it is let in */
    comes(waiting: number, afterMs: number): string | null {
      db.waitingCount = waiting;
      now += afterMs;
      try {
        admit();
        return null;
      } catch (error) {
        return (error as Failure).code;
      }
    },
  };
}

describe("admission", () => {
  it("lets everybody in while fewer than six wait for each connection", () => {
    const { comes } = line();
    for (let i = 0; i < 10; i++) expect(comes(59, 1_000)).toBeNull();
  });

  it("lets a burst wait, however long its line", () => {
    const { comes } = line();
    expect([comes(500, 0), comes(400, 100), comes(59, 40), comes(500, 100), comes(500, 149)]).toEqual(
      Array(5).fill(null),
    );
  });

  it("sends away who comes to a line that has stood for 150 ms, until it is short", () => {
    const { comes } = line();
    expect([comes(60, 0), comes(60, 150), comes(61, 1), comes(59, 1), comes(60, 1)]).toEqual([
      null,
      "overloaded",
      "overloaded",
      null,
      null,
    ]);
  });

  it("says when to come back", () => {
    let now = 0;
    const admit = admission({ waitingCount: 99, options: { max: CONNECTIONS } }, () => {
      now += 200;
      return now;
    });
    expect(admit).toThrow(expect.objectContaining({ code: "overloaded", options: { retryAfter: 1 } }));
  });
});
