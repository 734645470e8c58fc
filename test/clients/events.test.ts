/** Streams of events are cut into the same events wherever their pieces are cut. */
import { describe, expect, it } from "vitest";
import { eventCutter } from "../../clients/http/exchange.ts";

const STREAM = Buffer.from(
  ": hi\n\nevent: endpoint\r\ndata: /ü\r\n\r\nid: 1\n\n\n\ndata: {\ndata: }\nretry: 1\n\ndata:x\r\rdata: never ended",
);
const EVENTS = ["event: endpoint\ndata: /ü", "data: {\ndata: }\nretry: 1", "data:x"];

const cutInto = (pieces: readonly Buffer[]) => {
  const cut = eventCutter();
  return pieces.flatMap((piece) => cut(piece));
};

describe("a stream", () => {
  it("in one piece has its events, without those that have no data or no end", () =>
    expect(cutInto([STREAM])).toEqual(EVENTS));

  it.each(Array.from({ length: STREAM.length - 1 }, (_, i) => i + 1))("cut at %i has the same", (at) =>
    expect(cutInto([STREAM.subarray(0, at), STREAM.subarray(at)])).toEqual(EVENTS),
  );

  it("byte by byte has the same", () =>
    expect(cutInto(Array.from(STREAM, (byte) => Buffer.from([byte])))).toEqual(EVENTS));

  it("of very many lines is no longer cut", () => {
    const cut = eventCutter();
    cut(Buffer.from("\n".repeat(20_000)));
    expect(cut(Buffer.from("data: 1\n\n"))).toEqual([]);
  });
});
