/**
 * Bounds what one answer of a stranger gives the parser of HTTP to do. The parser counts headers and body only: heads of
 * status 1xx, extensions of chunks and trailers have no end, and what it refuses it parses to the end of the piece.
 */
import type { Socket } from "node:net";
import { OversizeAnswer } from "./exchange.ts";

/** Max bytes that the parser gets at once. */
const PIECE_BYTES = 2_048;
/** Max pieces of one answer: a piece of one byte costs as much time as one of a kilobyte. */
const MAX_PIECES = 2_500;
/** Pieces of any size at the beginning of an answer; those after them have `BYTES_OF_PIECE` bytes on average, or more. */
const FIRST_PIECES = 24;
const BYTES_OF_PIECE = 64;

/**
 * Bound: an answer of a stranger, 1.5 MB on the wire, 2,500 pieces and 16 heads of 1xx; 50,000 values; 64 events of an
 * endpoint (workers/offers/ask-endpoint.ts) and 2 open streams of a host.
 * @param maxBytes of one answer with everything around its body; beyond it the connection is closed
 */
export function boundAnswers(socket: Socket, maxBytes: number): void {
  const read = socket.read.bind(socket);
  let written = 0;
  let size = 0;
  let pieces = 0;
  socket.read = (bytes?: number) => {
    if (bytes !== undefined) return read(bytes);
    // What was refused is read no further.
    if (socket.destroyed) return null;
    // A request was sent meanwhile: what comes now is its answer.
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      size = 0;
      pieces = 0;
    }
    const piece: Buffer | null = read(socket.readableLength > PIECE_BYTES ? PIECE_BYTES : undefined);
    if (piece === null) return null;
    size += piece.length;
    pieces++;
    if (size > maxBytes) socket.destroy(new OversizeAnswer(`an answer of more than ${maxBytes} bytes`));
    else if (pieces > Math.min(MAX_PIECES, FIRST_PIECES + size / BYTES_OF_PIECE))
      socket.destroy(new Error("an answer letter by letter"));
    else return piece;
    return null;
  };
}
