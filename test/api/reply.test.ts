/** What a handler may answer: the compiler holds a reply and the schema of its status equal. Each refusal here is an error of the compiler. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { endpoint } from "../../api/endpoint.ts";
import { PackedRows } from "../../api/packed-rows.ts";
import { type Json, json as writeJson, written } from "../../api/reply.ts";
import { rowBytes } from "../../columns/row-cache.ts";

const agentSchema = z.object({
  id: z.int(),
  kind: z.enum(["human", "agent"]),
  links: z.array(z.object({ url: z.string(), title: z.string().optional() })),
  data: z.looseObject({ known: z.boolean() }).optional(),
});
type Agent = z.output<typeof agentSchema>;

const responses = {
  200: { description: "An agent", schema: agentSchema },
  202: { description: "Later", schema: z.object({ pending: z.literal(true) }) },
};
const json = writeJson as Json<typeof responses>;
const agent: Agent = { id: 1, kind: "agent", links: [{ url: "https://example.org" }] };
/** With a member that the schema lacks, which a spread or a variable would bring in unseen. */
const more = { ...agent, secret: "s" };
const links = [{ url: "https://example.org", secret: "s" }];

const spec = {
  method: "get",
  path: "/agent",
  operationId: "agent",
  tag: "Test",
  summary: "An agent",
  responses,
} as const;

describe("a reply", () => {
  it("is the JSON of what it was given, with the status and the headers that were named", () => {
    expect(json(agent)).toEqual({
      status: 200,
      type: "application/json; charset=utf-8",
      content: JSON.stringify(agent),
      headers: undefined,
      final: undefined,
    });
    expect(json({ pending: true }, { status: 202, final: false, headers: { a: "b" } })).toMatchObject({
      status: 202,
      final: false,
      headers: { a: "b" },
      content: '{"pending":true}',
    });
    expect(json({ ...agent, data: { known: true, any: 1 } })).toMatchObject({ status: 200 });
  });

  it("that misses a member, or has one too many, does not compile", () => {
    // @ts-expect-error kind is missing
    json({ id: 1, links: [] });
    // @ts-expect-error kind is no such word
    json({ ...agent, kind: "robot" });
    // @ts-expect-error the schema has no secret
    json({ ...agent, secret: "s" });
    // @ts-expect-error nor when it comes with a spread
    json({ ...more, id: 2 });
    // @ts-expect-error nor with a variable
    json(more);
    // @ts-expect-error nor within a list
    json({ ...agent, links });
    // @ts-expect-error nor in a list of the handler's own making
    json({ ...agent, links: links.map(({ url }) => ({ url, text: "t" })) });
    // @ts-expect-error that is the answer of another status
    json(agent, { status: 202 });
    // @ts-expect-error this status is none of the endpoint's
    json(agent, { status: 404 });
    expect.assertions(0);
  });

  it("is the only thing that a handler of a schema may return", () => {
    endpoint({ ...spec, handler: (_, json) => json(agent) });
    endpoint({ ...spec, handler: () => written<Agent>("{}") });
    // @ts-expect-error JSON of unknown shape
    endpoint({ ...spec, handler: () => ({ status: 200, type: "application/json", content: JSON.stringify(agent) }) });
    // @ts-expect-error JSON of another shape
    endpoint({ ...spec, handler: () => written<{ id: number }>("{}") });
    endpoint({
      ...spec,
      responses: { 200: { description: "A picture", type: "image/svg+xml" } },
      handler: () => ({ status: 200, type: "image/svg+xml", content: "<svg/>" }),
    });
    expect.assertions(0);
  });

  it("of packed rows has its rows and its other members by the same schema", () => {
    const rows = new PackedRows<{ id: number }>(["id"]);
    type Page = { rows: { id: number }[]; total: number };
    expect(
      Buffer.from(
        rows.answer<Page, "rows">("rows", [rowBytes(rows.pack({ id: 1 }))], { total: 1 }).content as Uint8Array,
      ),
    ).toEqual(Buffer.from('{"rows":[{"id":1}],"total":1}'));
    // @ts-expect-error total is missing
    rows.answer<Page, "rows">("rows", [], {});
    // @ts-expect-error the rows are of another shape
    rows.answer<{ rows: { name: string }[]; total: number }, "rows">("rows", [], { total: 1 });
  });
});
