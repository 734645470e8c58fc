/** Detects Solana transactions: the bytes a wallet signs must be a transaction or a text, never both. */

const HASH_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** First bit of the version byte. A message without a version begins with a number below 128. */
const VERSIONED = 0x80;

/** Thrown by the reader when the bytes end too early or a number is out of its bounds. */
class NotOne extends Error {}

class Reader {
  private readonly bytes: Uint8Array;
  private at = 0;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
  byte(): number {
    const value = this.bytes[this.at++];
    if (value === undefined) throw new NotOne();
    return value;
  }
  skip(count: number): void {
    this.at += count;
    if (this.at > this.bytes.length) throw new NotOne();
  }
  /** Reads a compact-u16: seven bits per byte, the lowest first, max three bytes. */
  length(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (value > 0xffff || (byte === 0 && shift > 0)) throw new NotOne();
        return value;
      }
    }
    throw new NotOne();
  }
  peek(): number {
    return this.bytes[this.at] ?? 0;
  }
  atEnd(): boolean {
    return this.at === this.bytes.length;
  }
}

/** Whether the bytes as a whole are a message that validators accept signatures for, or such a message with its signatures. */
export const isTransaction = (bytes: Uint8Array): boolean =>
  isWhole(bytes, message) ||
  isWhole(bytes, (reader) => {
    reader.skip(reader.length() * SIGNATURE_BYTES);
    message(reader);
  });

function isWhole(bytes: Uint8Array, read: (reader: Reader) => void): boolean {
  const reader = new Reader(bytes);
  try {
    read(reader);
    return reader.atEnd();
  } catch (error) {
    if (error instanceof NotOne) return false;
    throw error;
  }
}

/** Reads a message: header, account keys, blockhash, instructions, and address tables when it has a version. */
function message(reader: Reader): void {
  const versioned = reader.peek() >= VERSIONED;
  if (versioned) reader.skip(1);
  const signers = reader.byte();
  const readonlySigners = reader.byte();
  const readonlyOthers = reader.byte();
  const keys = reader.length();
  if (signers === 0 || readonlySigners >= signers || signers + readonlyOthers > keys) throw new NotOne();
  reader.skip(keys * HASH_BYTES + HASH_BYTES);
  list(reader, () => {
    reader.skip(1);
    reader.skip(reader.length());
    reader.skip(reader.length());
  });
  if (!versioned) return;
  list(reader, () => {
    reader.skip(HASH_BYTES);
    reader.skip(reader.length());
    reader.skip(reader.length());
  });
}

function list(reader: Reader, item: () => void): void {
  for (let left = reader.length(); left > 0; left--) item();
}
