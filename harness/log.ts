/** Logs of tests: kept, not printed, so that a failing test can show them. */
import { Writable } from "node:stream";
import { type Logger, pino } from "pino";

export type TestLog = Logger & { lines: string[] };

export function testLog(): TestLog {
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return Object.assign(pino({ level: "debug" }, sink), { lines });
}
