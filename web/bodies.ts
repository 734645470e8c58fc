/** What the schemas of request bodies say of their fields, for the terminal's forms: read at build time, as a page carries no schemas. */
import type { Plugin } from "vite";
import { type Json, toJsonSchema } from "../api/json-schema.ts";
import { tokenClaimSchema } from "../api/schemas/directory.ts";
import { groupBodySchema, messageBodySchema } from "../api/schemas/messages.ts";
import { mintBodySchema } from "../api/schemas/mint.ts";
import { humanBodySchema, organizationBodySchema } from "../api/schemas/principals.ts";
import { humanUpdateBodySchema, linkTokenBodySchema, updateBodySchema } from "../api/schemas/updates.ts";
import { rotateBodySchema, webhookBodySchema } from "../api/schemas/webhooks.ts";

const BODIES = {
  claim: tokenClaimSchema,
  group: groupBodySchema,
  human: humanBodySchema,
  message: messageBodySchema,
  mint: mintBodySchema,
  organization: organizationBodySchema,
  ownerUpdate: humanUpdateBodySchema,
  rotation: rotateBodySchema,
  token: linkTokenBodySchema,
  update: updateBodySchema,
  webhook: webhookBodySchema,
};

type Schema = {
  type?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  anyOf?: Schema[];
  enum?: string[];
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  minimum?: number;
  maximum?: number;
};

/** Path of each field and what its schema says; an object whose members are known is its members, and a list has those of its entries. */
function fieldsOf({ properties = {}, required = [] }: Schema, begin = ""): [path: string, shape: Json][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = begin + name;
    if (schema.properties && schema.additionalProperties !== true) return fieldsOf(schema, `${path}.`);
    const { type, maxLength: max, maxItems: most, minimum, maximum, enum: choices } = schema.anyOf?.[0] ?? schema;
    const shape = {
      ...((begin !== "" || !required.includes(name)) && { optional: true }),
      ...(max !== undefined && { max }),
      ...(most !== undefined && { most }),
      ...(maximum !== undefined && { range: [minimum, maximum] }),
      ...(choices && { choices }),
      ...(schema.anyOf?.some((one) => one.type === "null")
        ? { kind: "nullable" }
        : type !== "string" && { kind: type }),
    };
    return [[path, shape], ...fieldsOf(schema.items ?? {}, `${path}.`)];
  });
}

/** `virtual:bodies`: by body and path what a form needs to know of a field. */
export const bodies: Plugin = {
  name: "bodies",
  resolveId: (id) => (id === "virtual:bodies" ? id : null),
  load(id) {
    if (id !== "virtual:bodies") return;
    const fields = Object.entries(BODIES).map(([name, schema]) => [
      name,
      Object.fromEntries(fieldsOf(toJsonSchema(schema, "input"))),
    ]);
    return { code: `export default ${JSON.stringify(Object.fromEntries(fields))};`, map: null };
  },
};
