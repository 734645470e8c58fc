/** The line for the database: as long as its wait is short it is joined, and whoever would wait too long is sent away at once. */
import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { admission } from "../../api/http/admission.ts";
import type { Failure } from "../../core/errors.ts";

const CONNECTIONS = 10;

function line() {
  let now = 0;
  const db = Object.assign(new EventEmitter(), {
    waitingCount: 0,
    options: { max: CONNECTIONS, connectionTimeoutMillis: 1_000 },
  });
  const admit = admission(db, () => now);
  const clients = Array.from({ length: CONNECTIONS }, () => ({}));
  return {
    admit,
    db,
    /** All connections are taken, so often one after the other, and given back after so long. */
    used(times: number, eachMs: number) {
      for (let i = 0; i < times; i++) {
        for (const client of clients) db.emit("acquire", client);
        now += eachMs;
        for (const client of clients) db.emit("release", undefined, client);
      }
    },
    /** All connections are taken and not given back. */
    held(forMs: number) {
      for (const client of clients) db.emit("acquire", client);
      now += forMs;
    },
    /** @returns the code of the refusal; null when it is let in */
    comes(waiting: number): string | null {
      db.waitingCount = waiting;
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
  it("lets a burst wait while nothing is known of what it takes", () => {
    const { comes } = line();
    expect([comes(0), comes(50), comes(500)]).toEqual([null, null, null]);
  });

  it("joins a long line of quick questions and a short one of slow ones: half a second's wait at most", () => {
    const { used, comes } = line();
    used(100, 2);
    expect([comes(2_000), comes(2_600)]).toEqual([null, "overloaded"]);
    used(100, 300);
    expect([comes(16), comes(17)]).toEqual([null, "overloaded"]);
    used(100, 2);
    expect([comes(2_000), comes(2_600)]).toEqual([null, "overloaded"]);
  });

  it("lets as many wait as there are connections, however slow", () => {
    const { used, comes } = line();
    used(100, 5_000);
    expect([comes(9), comes(10)]).toEqual([null, "overloaded"]);
  });

  it("sees a database that stands still, whose connections come back to nobody", () => {
    const { used, held, comes } = line();
    used(100, 2);
    held(100);
    expect([comes(50), comes(51)]).toEqual([null, "overloaded"]);
    held(0);
    used(1, 0);
    expect(comes(51)).toBeNull();
  });

  it("says when to come back", () => {
    const { used, db, admit } = line();
    used(100, 300);
    db.waitingCount = 99;
    expect(admit).toThrow(expect.objectContaining({ code: "overloaded", options: { retryAfter: 1 } }));
  });
});
