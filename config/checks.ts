/** Checks of environment variables: from the text of the environment to the value that the service uses. */
import { accessSync, constants } from "node:fs";
import { z } from "zod";
import { readPostgresUrl } from "../core/operations/postgres-url.ts";
import { readBucketUrl } from "../core/snapshots/bucket.ts";

export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "must be a 0x address of 20 bytes")
  .transform((a) => a.toLowerCase() as `0x${string}`);
export const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "must be 0x and 64 hex digits")
  .transform((h) => h.toLowerCase() as `0x${string}`);
/** Order of the group of P-256 (FIPS 186-5). */
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
export const p256Key = hash.refine((h) => BigInt(h) > 0n && BigInt(h) < P256_ORDER, "must be a private key of P-256");
export const integer = (min: number, max: number) =>
  z.string().regex(/^\d+$/, "must be a whole number").transform(Number).pipe(z.number().min(min).max(max));
export const flag = z.enum(["true", "false"]).transform((v) => v === "true");
export const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (v) => URL.canParse(v) && protocols.includes(new URL(v).protocol),
      `must be a ${protocols.join(" or ")}// URL`,
    );
/** A URL of Postgres as libpq takes it, whose files are there. */
export const postgresUrl = z.string().superRefine((v, ctx) => {
  try {
    const { rootCertificates, certificate, key } = readPostgresUrl(v).tls;
    for (const file of [rootCertificates, certificate, key])
      if (file !== undefined && !isReadable(file)) ctx.addIssue(`names a file that cannot be read: ${file}`);
  } catch (error) {
    ctx.addIssue((error as Error).message);
  }
});
/** A path, or the URL of a bucket. Another URL is no folder: it would be named by a secret. */
export const snapshotPlace = z
  .string()
  .min(1)
  .superRefine((v, ctx) => {
    try {
      if (/^[a-z][a-z\d+.-]+:/i.test(v)) readBucketUrl(v);
    } catch {
      ctx.addIssue("must be s3://KEY:SECRET@host/bucket/path?region=…");
    }
  });
export const list = <T>(item: z.ZodType<T, string>) =>
  z.string().transform((v, ctx) =>
    v
      .split(",")
      .map((s) => s.trim())
      .filter(Boolean)
      .map((s) => {
        const parsed = item.safeParse(s);
        if (!parsed.success) ctx.addIssue(parsed.error.issues[0]!.message);
        return parsed.data as T;
      }),
  );
/**
 * Settings by name: a comma list of name=value over defaults. Of a name that is given twice the last value counts.
 * @param checkOf check of the value of a name; one that gives an object may give a part of it
 */
export const byName = <T extends Record<string, unknown>>(
  defaults: T,
  checkOf: (name: keyof T & string) => z.ZodType<T[keyof T] extends object ? object : T[keyof T], string>,
) =>
  z.string().transform((written, ctx): T => {
    const values = { ...defaults };
    for (const entry of written.split(",").map((s) => s.trim())) {
      if (entry === "") continue;
      const [key = "", ...rest] = entry.split("=");
      if (!Object.hasOwn(defaults, key)) {
        ctx.addIssue(`has no ${key}: its names are ${Object.keys(defaults).join(", ")}`);
        continue;
      }
      const name = key as keyof T & string;
      const parsed = checkOf(name).safeParse(rest.join("="));
      if (parsed.success) Object.assign(values, { [name]: over(values[name], parsed.data) });
      else ctx.addIssue(`has a value for ${name} that ${parsed.error.issues[0]!.message}`);
    }
    return values;
  });
const over = (value: unknown, given: unknown): unknown =>
  typeof given === "object" ? { ...(value as object), ...given } : given;
export const webUrl = url("http:", "https:");
const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A duration; a number without a unit is seconds. @returns milliseconds */
export const duration = z
  .string()
  .regex(/^\d{1,7}[smhd]?$/, "must be a length of time like 30s, 15m, 6h or 1d")
  .transform((v) => Number.parseInt(v, 10) * UNIT_MS[/[smhd]$/.exec(v)?.[0] ?? "s"]!)
  .pipe(z.number().min(1_000));
/** @returns wei */
export const gwei = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,9})?$/, "must be a number of gwei")
  .transform((v) => {
    const [whole = "", fraction = ""] = v.split(".");
    return BigInt(whole + fraction.padEnd(9, "0"));
  })
  .refine((wei) => wei > 0n, "must be more than 0");
export const share = z
  .string()
  .regex(/^(0|1|0?\.\d+|1\.0+)$/, "must be a number from 0 to 1")
  .transform(Number);
/** name=value; `%2C` in the value is a comma (W3C Baggage, as in the specification of OTLP). */
export const pair = z
  .string()
  .regex(/^[\w.-]+=[^\s,]+$/, "must be name=value")
  .transform((v): [name: string, value: string] => [
    v.slice(0, v.indexOf("=")).toLowerCase(),
    v
      .slice(v.indexOf("=") + 1)
      .replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
  ]);
export const account = z
  .string()
  .regex(/^[a-z0-9-]+=https?:\/\/\S+$/, "must be platform=URL")
  .transform((v): [platform: string, url: string] => [v.slice(0, v.indexOf("=")), v.slice(v.indexOf("=") + 1)]);

/** A URL to which paths are appended. */
export const withoutSlash = (address: string): string => address.replace(/\/+$/, "");

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
