/** Events that no honest contract emits: any arguments, texts that are no UTF-8, data that is no ABI encoding. */
import fc from "fast-check";
import {
  type Abi,
  type AbiEvent,
  type AbiParameter,
  bytesToHex,
  concatHex,
  encodeAbiParameters,
  type Hex,
  numberToHex,
  padHex,
  toEventSelector,
  toHex,
} from "viem";

/**
 * Code of a contract that emits what it is called with: a byte with the number of topics, four words for them, the data. A
 * shorter call is reverted. Written by hand, for Solidity has no event without a signature.
 */
export const EMITTER: Hex = (() => {
  const TOPICS = ["01", "21", "41", "61"];
  // Reverts when calldatasize < 0x81; size := calldatasize - 0x81; mem[0..size] := calldata[0x81..]; n := byte 0 of calldata
  const start = "6081361015600b575f5ffd5b608136038060815f375f3560f81c";
  const emit = (n: number) =>
    `5b50${TOPICS.slice(0, n)
      .toReversed()
      .map((at) => `60${at}35`)
      .join("")}${(0x80 + n).toString(16)}5f${(0xa0 + n).toString(16)}00`;
  const bodies = [1, 2, 3, 4].map(emit);
  // dup1 push1 n eq push1 target jumpi, for each n; then stop
  const jumps = 4 * 7 + 1;
  let at = start.length / 2 + jumps;
  const table = bodies.map((body, i) => {
    const jump = `80600${i + 1}1460${at.toString(16).padStart(2, "0")}57`;
    at += body.length / 2;
    return jump;
  });
  return `0x${start}${table.join("")}00${bodies.join("")}`;
})();

/** What `EMITTER` is called with to emit a log. */
export const emission = ({ topics, data }: { topics: readonly Hex[]; data: Hex }): Hex =>
  concatHex([
    toHex(topics.length, { size: 1 }),
    ...Array.from({ length: 4 }, (_, i) => topics[i] ?? padHex("0x", { size: 32 })),
    data,
  ]);

/** Bytes where a text is expected: hostile Unicode, what is no UTF-8, and lengths beyond what an index entry holds. */
const hostileBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.uint8Array({ minLength: 3_000, maxLength: 6_000 }),
  fc
    .constantFrom(
      "",
      "\0",
      "a\0b",
      "linked-token",
      "linked-token-chain",
      "update_personality",
      "agentWallet",
      "__proto__",
      "\u202e\u2066evil",
      "\u200b\u200d\ufeff",
      "NaN",
      "🧱".repeat(700),
      "a\u0301".repeat(3_000),
      "x".repeat(100_000),
      `https://A${"-".repeat(16_384)}/`,
      `data:application/json,{"name":${"[".repeat(2_000)}`,
      "ipfs://\0",
    )
    .map((text) => new TextEncoder().encode(text)),
  // Halves of surrogate pairs as CESU-8 has them, and an overlong NUL.
  fc
    .constantFrom([0xed, 0xa0, 0xbd], [0xed, 0xb8, 0x80], [0xc0, 0x80], [0xff, 0xfe])
    .map((bytes) => Uint8Array.from(bytes)),
);

/** What values are among now and then: token ids below a number, addresses, words of 32 bytes. */
export type Known = { tokens: number; wallets: readonly Hex[]; words: readonly Hex[] };

function valueFor({ type }: AbiParameter, { tokens, wallets, words }: Known): fc.Arbitrary<unknown> {
  if (type === "string" || type === "bytes") return hostileBytes.map((bytes) => bytesToHex(bytes));
  if (type === "address") return fc.constantFrom(...wallets, padHex("0x", { size: 20 }));
  if (type === "bool") return fc.boolean();
  if (type === "bytes32") return fc.constantFrom(...words);
  const [, sign, size] = /^(u?)int(\d*)$/.exec(type)!;
  const bits = BigInt(size || 256);
  const [least, most] = sign ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  return fc.oneof(
    { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: BigInt(tokens) }) },
    { weight: 1, arbitrary: fc.constantFrom(least, most, 0n) },
  );
}

const encodable = (parameter: AbiParameter): AbiParameter =>
  ({ ...parameter, type: parameter.type === "string" ? "bytes" : parameter.type }) as AbiParameter;

/** A random log of one of the ABI's events. */
export function hostileLog(abi: Abi, known: Known): fc.Arbitrary<{ topics: Hex[]; data: Hex }> {
  const events = abi.filter((entry): entry is AbiEvent => entry.type === "event");
  return fc.constantFrom(...events).chain((event) =>
    fc
      .tuple(
        fc.tuple(...event.inputs.map((input) => valueFor(input, known))),
        fc.option(fc.uint8Array({ maxLength: 200 }), { nil: undefined, freq: 15 }),
      )
      .map(([values, garbage]) => {
        const indexed = event.inputs.flatMap((input, i) => (input.indexed ? [{ input, value: values[i] }] : []));
        const rest = event.inputs.flatMap((input, i) => (input.indexed ? [] : [{ input, value: values[i] }]));
        const topics = indexed.map(({ input, value }) =>
          input.type === "string"
            ? numberToHex(1, { size: 32 })
            : encodeAbiParameters([encodable(input)], [value as never]),
        );
        const data = encodeAbiParameters(
          rest.map(({ input }) => encodable(input)),
          rest.map(({ value }) => value) as never,
        );
        return { topics: [toEventSelector(event), ...topics], data: garbage ? bytesToHex(garbage) : data };
      }),
  );
}
