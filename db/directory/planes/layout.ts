/** The columns of the directory's planes: how a row becomes a code of bits, each of which is a plane. */
import { createHash } from "node:crypto";
import type { CopyRow } from "../../../columns/copy-rows.ts";
import { PLATFORMS } from "../../../core/directory/platforms.ts";
import { PROTOCOLS } from "../../../core/directory/protocols.ts";
import { PROOF_PLATFORM_KEYS } from "../../../core/proof-platforms.ts";
import { ETHOS } from "../ethos-sql.ts";
import { HAS_TOKEN, trendSql } from "../question-sql.ts";

const PLATFORM_KEYS = PLATFORMS.map(({ key }) => key).sort((a, b) => (a < b ? -1 : 1));
const flags = (prefix: string, words: readonly string[]) => words.map((word) => [`${prefix}:${word}`, 1] as const);

/**
 * Columns and their bits. A number with as many bits as its type has is exact: rows of equal numbers are equal. Nullable
 * ones have a flag `has:…` before them. All are unsigned, and in the order of their values.
 */
const WIDTHS: readonly (readonly [column: string, bits: number])[] = [
  // Shown, and fit: all other bits count only where this one is set.
  ["live", 1],
  ["x402", 1],
  ["hasToken", 1],
  ["wallet", 1],
  ["coinbase", 1],
  ["inactive", 1],
  ["up", 1],
  ["down", 1],
  ...flags("platform", PLATFORM_KEYS),
  ...flags("speaks", PROTOCOLS),
  ...flags("proof", PROOF_PLATFORM_KEYS),
  ["score", 7],
  // Place of the platform in the order of keys.
  ["platform", 5],
  // Microseconds since 1970.
  ["has:created", 1],
  ["created", 53],
  ["updated", 53],
  // Whole minutes since 1970: the bounds of windows are whole minutes.
  ["has:active", 1],
  ["active", 27],
  // Whether an address begins with 0x, and its first three digits; whether with agent1q.
  ...["address", "owner"].flatMap((column) => [
    [`hex:${column}`, 1] as const,
    [column, 12] as const,
    [`agent1q:${column}`, 1] as const,
  ]),
  ["trend", 20],
  ["trend7d", 20],
  ["trend30d", 20],
  ["has:chain", 1],
  ["chain", 31],
  ["has:ethos", 1],
  ["ethos", 16],
  ["has:cap", 1],
  ["cap", 64],
  ["has:volume", 1],
  ["volume", 64],
  ["has:price", 1],
  ["price", 64],
  ["has:liquidity", 1],
  ["liquidity", 64],
  // Twice the number of marks (`directory_image.name_marks`) below the name, and one more where it is a mark itself.
  ["name", 17],
];

type Place = { at: number; width: number };
const PLACES = new Map<string, Place>();
let bits = 0;
for (const [column, width] of WIDTHS) {
  PLACES.set(column, { at: bits, width });
  bits += width;
}
export const CODE_BYTES = Math.ceil(bits / 8);

/** Raised when the same row gets another code, or the same name other parts. */
const LAYOUT_VERSION = 2;
export const LAYOUT = createHash("sha256")
  .update(JSON.stringify([LAYOUT_VERSION, WIDTHS]))
  .digest("hex")
  .slice(0, 16);

/** The planes of a column, the highest bit first. @throws for a column that does not exist */
export function planesOf(column: string): string[] {
  const place = PLACES.get(column);
  if (!place) throw new Error(`the planes have no column ${column}`);
  return Array.from({ length: place.width }, (_, i) => String(place.at + i));
}

/** Longest text of which one plane says which names contain it, in characters. */
export const GRAM_CHARACTERS = 3;
/** The plane of such a text. */
export const gramPlane = (gram: string): string => `g${gram}`;

/** All texts of one to three characters that a name contains. */
export function gramsOf(name: string): Set<string> {
  const characters = [...name];
  const grams = new Set<string>();
  for (let i = 0; i < characters.length; i++) {
    let gram = "";
    for (let n = 0; n < GRAM_CHARACTERS && i + n < characters.length; n++) {
      gram += characters[i + n];
      grams.add(gram);
    }
  }
  return grams;
}

/** Those of one or two characters, which the index of trigrams does not find. */
export const shortGramsOf = (name: string): string[] =>
  [...gramsOf(name)].filter((gram) => [...gram].length < GRAM_CHARACTERS);

/** SQL of the values of a code, of a row `d` with its Ethos score, read by `readRow` from field 1 on. */
export const VALUES = `d.id is not null and d.removed_at is null, d.x402_supported, ${HAS_TOKEN}, d.wallet_proven, d.coinbase, d.platform,
  array_to_string(d.protocols, ' '), array_to_string(d.proofs, ' '), d.cred_score, d.created_at, d.updated_at, d.active_at,
  d.trend, ${trendSql("7d")}, ${trendSql("30d")}, d.chain_id, ${ETHOS.score}, d.market_cap_usd, d.volume_24h_usd,
  d.price_change_24h, d.liquidity_usd, d.sort_name, d.search_name, d.address,
  d.owner_address, not d.active`;
/** Index of the field behind them. */
export const AFTER_VALUES = 27;

/** What the planes show of a row; the code is null when it does not fit. */
export type PlanesRow = { live: boolean; code: Uint8Array | null; searchName: string };

/** @param placeOfName the number that names are sorted by */
export function readRow(row: CopyRow, placeOfName: (name: Uint8Array) => number): PlanesRow {
  const code = new Code();
  const live = row.flag(1);
  if (live) code.put("live", 1);
  const names = ["x402", "hasToken", "wallet", "coinbase"];
  names.forEach((column, i) => {
    if (row.flag(2 + i)) code.put(column, 1);
  });
  if (row.flag(26)) code.put("inactive", 1);
  const platform = textOf(row.bytes(6));
  code.put("platform", PLATFORM_KEYS.indexOf(platform as (typeof PLATFORM_KEYS)[number]));
  code.flag(`platform:${platform}`);
  for (const [prefix, field] of [
    ["speaks", 7],
    ["proof", 8],
  ] as const)
    for (const word of textOf(row.bytes(field)).split(" ")) if (word !== "") code.flag(`${prefix}:${word}`);
  code.put("score", row.small(9));
  code.put("created", micros(row.time(10)), "has:created");
  code.put("updated", micros(row.time(11)));
  const active = row.time(12);
  code.put("active", active === null ? null : Math.floor(active / 60_000), "has:active");
  code.put("trend", row.medium(13));
  code.put("trend7d", row.medium(14));
  code.put("trend30d", row.medium(15));
  code.put("chain", row.medium(16), "has:chain");
  code.put("ethos", row.medium(17), "has:ethos");
  ["cap", "volume", "price", "liquidity"].forEach((column, i) => {
    code.putDouble(column, row.double(18 + i));
  });
  const change = row.double(20) ?? 0;
  if (change > 0) code.put("up", 1);
  if (change < 0) code.put("down", 1);
  code.putAddress("address", textOf(row.bytes(24)));
  code.putAddress("owner", textOf(row.bytes(25)));
  code.put("name", placeOfName(row.bytes(22) ?? new Uint8Array()));
  return { live, code: code.fits ? code.bytes : null, searchName: textOf(row.bytes(23)) };
}

const micros = (ms: number | null) => (ms === null ? null : Math.round(ms * 1000));
const textOf = (bytes: Uint8Array | null) =>
  bytes === null ? "" : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");

const double = new DataView(new ArrayBuffer(8));

class Code {
  readonly bytes = new Uint8Array(CODE_BYTES);
  fits = true;

  /** A whole number, which may be null where the column has a flag for it; one beyond the column's bits does not fit. */
  put(column: string, value: number | null, has?: string): void {
    if (value === null) {
      if (has === undefined) this.fits = false;
      return;
    }
    if (has !== undefined) this.put(has, 1);
    const { at, width } = PLACES.get(column)!;
    if (!(value >= 0 && value < 2 ** width)) this.fits = false;
    else this.#write(at, width, Math.floor(value / 2 ** 32), value >>> 0);
  }

  /** The order of doubles is that of their bits once the negative ones are turned around. */
  putDouble(column: string, value: number | null): void {
    if (value === null) return;
    // Postgres sorts it behind all others, and no row should have one.
    if (Number.isNaN(value)) this.fits = false;
    this.put(`has:${column}`, 1);
    double.setFloat64(0, value === 0 ? 0 : value);
    const [high, low] = [double.getUint32(0), double.getUint32(4)];
    const { at } = PLACES.get(column)!;
    if (high >= 0x8000_0000) this.#write(at, 64, ~high >>> 0, ~low >>> 0);
    else this.#write(at, 64, (high | 0x8000_0000) >>> 0, low);
  }

  /** A text that begins like an EVM address but is none does not fit. */
  putAddress(column: string, address: string): void {
    if (address.startsWith("agent1q")) this.put(`agent1q:${column}`, 1);
    if (!address.startsWith("0x")) return;
    const digits = /^0x([0-9a-f]{3})/.exec(address)?.[1];
    this.put(column, digits === undefined ? null : Number.parseInt(digits, 16), `hex:${column}`);
    if (digits === undefined) this.fits = false;
  }

  /** A flag of a word; one that the layout does not know does not fit. */
  flag(column: string): void {
    if (PLACES.has(column)) this.put(column, 1);
    else this.fits = false;
  }

  #write(at: number, width: number, high: number, low: number): void {
    for (let i = 0; i < width; i++) {
      const shift = width - 1 - i;
      const bit = shift >= 32 ? (high >>> (shift - 32)) & 1 : (low >>> shift) & 1;
      if (bit === 1) this.bytes[(at + i) >> 3]! |= 0x80 >> ((at + i) & 7);
    }
  }
}
