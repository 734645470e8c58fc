/**
 * What a sentence of the service's specification is to the tests: a row, with what was checked in our own words and the
 * check. Where the specification has variants that exclude each other, `decided` says which of them the API contract
 * took, and in which of its sections.
 */
import { z } from "zod";
import type { Answer, Walk } from "./walk.ts";

export type Fact = {
  states: string;
  decided?: string;
  /** @throws Error when the service does otherwise */
  holds(walk: Walk): unknown;
};

/** A heading of the specification and what is stated below it. */
export type Section = { title: string; facts: readonly Fact[] };

/** A value inside a body, by the names that lead to it. */
const valueAt = (body: unknown, path: string): unknown =>
  path.split(".").reduce((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], body);

type Source = (walk: Walk) => Answer | Promise<Answer>;

/** One fact for each field of a body. @param record its name in the specification */
export const fields = (record: string, source: Source, schemas: Record<string, z.ZodType>): Fact[] =>
  Object.entries(schemas).map(([path, schema]) => ({
    states: `${record}: ${path}, ${schema.description}`,
    async holds(walk) {
      schema.parse(valueAt((await source(walk)).body, path));
    },
  }));

/** One fact for each row, each with its own words. */
export const facts = (rows: Record<string, Fact["holds"]>): Fact[] =>
  Object.entries(rows).map(([states, holds]) => ({ states, holds }));

/** The kinds of values that the specification's tables name. */
export const integer = z.int().describe("an integer");
export const number = z.number().describe("a number");
export const text = z.string().describe("a text");
export const some = z.string().min(1).describe("a text that is not empty");
export const flag = z.boolean().describe("true or false");
export const yes = z.literal(true).describe("true");
export const no = z.literal(false).describe("false");
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .describe("an address");
export const hash = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .describe("a transaction hash");
export const moment = z.iso.datetime().describe("an ISO 8601 timestamp");
export const link = z.url().describe("a URL");
export const object = z.record(z.string(), z.unknown()).describe("an object");
export const list = z.array(z.unknown()).describe("an array");
export const score = z.int().min(0).max(100).describe("a number from 0 to 100");
export const decimal = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .describe("a decimal as text");
export const bit = z.literal([0, 1]).describe("0 or 1");
export const oneOf = (...words: string[]) => z.enum(words).describe(`one of ${words.join(", ")}`);
export const exactly = (value: string | number | boolean | null) => z.literal(value).describe(JSON.stringify(value));
export const orNull = (schema: z.ZodType) => schema.nullable().describe(`${schema.description}, or null`);
export const arrayOf = (schema: z.ZodObject) =>
  z
    .array(schema)
    .min(1)
    .describe(`an array of ${Object.keys(schema.shape).join(", ")}`);
