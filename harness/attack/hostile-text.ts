/** Texts and bytes that have broken software before, drawn from a seed. */
import type { Hex } from "viem";
import { between, pick } from "../random.ts";

/** Whatever a database, a JSON parser, a URL parser or a screen may stumble over. */
const TEXTS: readonly string[] = [
  "\u0000",
  "a\u0000b",
  "\ud800",
  "half \udfff pair",
  "\ufffe\uffff",
  "\u202eevil\u202c",
  "\u0007\u001b[2J",
  "z\u0300".repeat(300),
  "x".repeat(5_000),
  "x".repeat(70_000),
  "__proto__",
  "constructor",
  "'; drop table offchain.directory; --",
  "<script>alert(1)</script>",
  "%00%ff%c0%ae",
  "1e999",
  "NaN",
  "-0",
  "9".repeat(400),
  "\\u0000",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿".repeat(50),
  "",
  " ",
  "\n",
];

export const hostileText = (random: () => number): string => pick(random, TEXTS);

/** Any value in place of a text: other types, too much of everything, too deep. */
export function hostileValue(random: () => number): unknown {
  const deep = (levels: number): unknown => (levels === 0 ? hostileText(random) : { a: [deep(levels - 1)] });
  return pick<() => unknown>(random, [
    () => hostileText(random),
    () => hostileText(random),
    () => null,
    () => -1,
    () => 1e308,
    () => 2 ** 53,
    () => true,
    () => [],
    () => ({}),
    () => Array.from({ length: 2_000 }, () => hostileText(random).slice(0, 10)),
    () => ({ [hostileText(random).slice(0, 50)]: hostileText(random) }),
    () => deep(60),
  ])();
}

/** A copy of a value in which one to three members, at any depth, are hostile. */
export function spoiled<T>(value: T, random: () => number): T {
  const copy = structuredClone(value);
  for (let times = between(random, 1, 3); times > 0; times--) {
    let at = copy as Record<string, unknown>;
    for (;;) {
      const key = pick(random, Object.keys(at));
      const next = at[key];
      if (typeof next === "object" && next !== null && Object.keys(next).length > 0 && random() < 0.7) {
        at = next as Record<string, unknown>;
        continue;
      }
      at[key] = hostileValue(random);
      break;
    }
  }
  return copy;
}

/** Bytes of a string on the chain, which need not be UTF-8. @param most length in bytes */
export function hostileBytes(random: () => number, most: number): Hex {
  if (random() < 0.5) {
    const text = Buffer.from(hostileText(random)).subarray(0, most);
    return `0x${text.toString("hex")}`;
  }
  const length = pick(
    random,
    [1, 2, 31, 32, 33, 255, 2_705, 4_096, most].filter((n) => n <= most),
  );
  return `0x${Buffer.from(Array.from({ length }, () => Math.floor(random() * 256))).toString("hex")}`;
}

/** URIs that parsers disagree about. */
export const hostileUri = (random: () => number): string =>
  pick<() => string>(random, [
    () => `https://A${"a".repeat(16_384)}.example/`,
    () => `https://${"a".repeat(300)}.example/`,
    () => "https://exa\u0000mple.com/",
    () => "http://[::1",
    () => "http://127.0.0.1:1/",
    () => "http://169.254.169.254/latest/meta-data",
    () => "file:///etc/passwd",
    () => "ipfs://\ud800",
    () =>
      `data:application/json,${encodeURIComponent(JSON.stringify({ name: hostileText(random), description: hostileText(random), image: hostileText(random) }))}`,
    () =>
      `data:application/json;base64,${Buffer.from(
        JSON.stringify({ type: hostileValue(random), name: hostileValue(random), services: hostileValue(random) }) ??
          "",
      )
        .toString("base64")
        .slice(0, 12_000)}`,
    () => `data:application/json;base64,${Buffer.from(`${"[".repeat(4_000)}${"]".repeat(4_000)}`).toString("base64")}`,
    () => hostileText(random).slice(0, 8_000),
  ])();
