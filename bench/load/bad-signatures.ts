/** A process that sends writes with bad signatures at a fixed rate, whatever is answered, and counts the answers. */
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";

/** Where to, and how many a second. */
export type Storm = { url: string; perSecond: number };
export type StormCounts = { sent: number; byStatus: Record<string, number> };

const SOCKETS = 16;
const TICK_MS = 1;

if (process.send) {
  let stop = (): StormCounts => ({ sent: 0, byStatus: {} });
  process.on("message", (message: Storm | "stop") => {
    if (message === "stop") process.send!(stop());
    else stop = begin(message);
  });
}

function begin({ url, perSecond }: Storm): () => StormCounts {
  const { hostname, port } = new URL(url);
  const stormed: StormCounts = { sent: 0, byStatus: {} };
  const sockets: Socket[] = Array.from({ length: SOCKETS }, () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    socket.on("error", () => {});
    // Bodies are JSON of one line: what begins so is the head of an answer.
    socket.on("data", (chunk) => {
      for (const [, status] of chunk.toString("latin1").matchAll(/HTTP\/1\.1 (\d{3})/g))
        stormed.byStatus[status!] = (stormed.byStatus[status!] ?? 0) + 1;
    });
    return socket;
  });
  const began = performance.now();
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
    for (; stormed.sent < due; stormed.sent++) sockets[stormed.sent % SOCKETS]!.write(badWrite());
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    return stormed;
  };
}

/** A write with a credential of the right shape and time, whose signature is noise: each another wallet's. */
function badWrite(): string {
  const signature = randomBytes(65);
  // Such that recovery is tried: s in the lower half, v as wallets write it.
  signature[32]! &= 0x3f;
  signature[64] = 27;
  const credential = `0x${randomBytes(20).toString("hex")}:${Date.now()}:0x${signature.toString("hex")}`;
  return `POST /api/v2/auth/revoke HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${credential}\r\nContent-Length: 0\r\n\r\n`;
}
