/** Principals: humans and organizations, their lists, and a human's own registration. */
import { z } from "zod";
import type { ErrorCode } from "../../core/errors.ts";
import {
  humanCredSchema,
  humanCredView,
  humanSchema,
  humanView,
  organizationSchema,
  organizationView,
  ownHumanSchema,
} from "../../core/views/human.ts";
import type { HumanRef } from "../../db/principals/humans.ts";
import { endpointsOf, ignoredOf } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { humanRef, limit, offset, organizationRef, page, searchText } from "../parameters.ts";
import { pageNumbers, startOf } from "../reply.ts";
import * as schemas from "../schemas/principals.ts";
import {
  deletePrincipal,
  humanFacts,
  linkAgent,
  ownHuman,
  pageOfHumans,
  registerHuman,
  unlinkAgent,
} from "../services/humans.ts";
import { organizationFacts, pageOfOrganizations, registerOrganization } from "../services/organizations.ts";

const endpoint = endpointsOf({ tag: "Principals", named: { id: humanRef }, data: true });

const shown = async (deps: HandlerDeps, ref: HumanRef, at: Date) =>
  humanView(await humanFacts(deps, ref), deps.site, at);

const PAGE = { limit: limit({ default: 50, max: 100 }), page, offset };

export const humans = endpoint({
  path: "/api/v2/humans",
  operationId: "listHumans",
  summary: "Human principals, the longest registered first",
  query: z.object({
    search: searchText("Part of a name in any case and with any accents, an address prefix (0x…), or a token id"),
    ...PAGE,
  }),
  responses: { 200: { description: "A page of humans", schema: schemas.humanListSchema } },
  async handler({ deps, query, at }, json) {
    const { search, limit } = query;
    const offset = startOf(query);
    const { total, humans } = await pageOfHumans(deps, { search, limit, offset });
    return json({
      ...pageNumbers(total, { limit, offset }),
      humans: humans.map((facts) => humanView(facts, deps.site, at)),
    });
  },
});

export const human = endpoint({
  path: "/api/v2/human/{id}",
  operationId: "getHuman",
  summary: "A human principal",
  responses: { 200: { description: "The human", schema: humanSchema } },
  handler: async ({ deps, params: { id }, at }, json) => json(await shown(deps, id, at)),
});

export const humanCred = endpoint({
  path: "/api/v2/human/{id}/cred",
  operationId: "getHumanCred",
  summary: "A human's cred: what it is made of, what was read where, and what is not known",
  responses: { 200: { description: "Score and breakdown", schema: humanCredSchema } },
  handler: async ({ deps, params: { id }, at }, json) => json(humanCredView(await humanFacts(deps, id), at)),
});

const tokenErrors: ErrorCode[] = ["forbidden", "not_found"];

export const humanRegister = endpoint({
  method: "post",
  path: "/api/v2/principals/human/register",
  operationId: "registerHuman",
  summary: "Register as a human, or change one's own registration",
  description:
    "Whoever signs in is the principal: the wallet, or the account at the identity provider. Contact data are shown to the principal alone.",
  guard: { caller: "human" },
  body: schemas.humanBodySchema,
  responses: {
    200: { description: "Changed", schema: schemas.registeredHumanSchema },
    201: { description: "Registered", schema: schemas.registeredHumanSchema },
  },
  errors: tokenErrors,
  async handler({ deps, body, caller, networks, now, at, count }, json) {
    const allowed = () => count("principals", networks);
    const { id, created } = await registerHuman(deps, caller, body, { now, allowed });
    const principal = await shown(deps, { id }, at);
    return json({ success: true, principal, ...ignoredOf(body) }, { status: created ? 201 : 200 });
  },
});

export const humanMe = endpoint({
  path: "/api/v2/principals/human/me",
  operationId: "getOwnHuman",
  summary: "Oneself, with one's contact data and organizations",
  guard: { caller: "human" },
  responses: { 200: { description: "The calling human", schema: ownHumanSchema } },
  errors: ["not_found"],
  handler: async ({ deps, caller, now }, json) => json(await ownHuman(deps, caller, now)),
});

export const humanDelete = endpoint({
  method: "delete",
  path: "/api/v2/principals/human/me",
  operationId: "deletePrincipal",
  summary: "Delete oneself: the human, its links and contact data, and the organizations it owns",
  description:
    "Wallet and account can register anew. For 90 days nobody but the former owner can take the organizations' slugs.",
  guard: { caller: "human" },
  responses: { 200: { description: "Deleted", schema: schemas.deletedSchema } },
  errors: ["not_found"],
  handler: async ({ deps, caller, now }, json) =>
    json({ success: true, deleted: await deletePrincipal(deps, caller, now) }),
});

export const humanLinkAgent = endpoint({
  method: "post",
  path: "/api/v2/human/{id}/link-agent",
  operationId: "linkAgent",
  summary: "Link an agent to a human, as the owner of its token",
  description:
    "Signed by the wallet that owns the token and is the human's own. A human without a wallet sends its access token in Authorization, and the owner's credential in X-SIWA. A transfer of the token ends the link for good.",
  guard: { caller: "owner" },
  body: schemas.linkAgentBodySchema,
  responses: { 200: { description: "Linked", schema: schemas.registeredHumanSchema } },
  errors: [...tokenErrors, "conflict"],
  async handler({ deps, params, body, caller, now, at }, json) {
    const id = await linkAgent(deps, caller, { human: params.id, tokenId: body.agentTokenId }, now);
    return json({ success: true, principal: await shown(deps, { id }, at) });
  },
});

export const humanUnlinkAgent = endpoint({
  method: "post",
  path: "/api/v2/human/{id}/unlink-agent",
  operationId: "unlinkAgent",
  summary: "End the link between a human and an agent, as the human",
  guard: { caller: "human" },
  body: schemas.linkAgentBodySchema,
  responses: { 200: { description: "Not linked any more", schema: schemas.registeredHumanSchema } },
  errors: tokenErrors,
  async handler({ deps, params, body, caller, at }, json) {
    const id = await unlinkAgent(deps, caller, { human: params.id, tokenId: body.agentTokenId });
    return json({ success: true, principal: await shown(deps, { id }, at) });
  },
});

export const organizations = endpoint({
  path: "/api/v2/organizations",
  operationId: "listOrganizations",
  summary: "Organizations, the longest registered first",
  query: z.object({
    search: searchText(
      "Part of a name in any case and with any accents, the beginning of a slug, an address prefix (0x…), or a token id",
    ),
    ...PAGE,
  }),
  responses: { 200: { description: "A page of organizations", schema: schemas.organizationListSchema } },
  async handler({ deps, query }, json) {
    const { search, limit } = query;
    const offset = startOf(query);
    const { total, organizations } = await pageOfOrganizations(deps, { search, limit, offset });
    return json({ ...pageNumbers(total, { limit, offset }), organizations: organizations.map(organizationView) });
  },
});

export const organization = endpoint({
  path: "/api/v2/org/{id}",
  operationId: "getOrganization",
  summary: "An organization",
  params: z.object({ id: organizationRef }),
  responses: { 200: { description: "The organization", schema: organizationSchema } },
  errors: ["not_found"],
  handler: async ({ deps, params: { id } }, json) => json(organizationView(await organizationFacts(deps, id))),
});

export const organizationRegister = endpoint({
  method: "post",
  path: "/api/v2/principals/organization/register",
  operationId: "registerOrganization",
  summary: "Register an organization, or change one's own",
  description:
    "It belongs to whoever registers it. With the slug of one's own organization, or without a slug but with its name, that one is changed; another's slug, or one that looks like it, is 409.",
  guard: { caller: "human" },
  body: schemas.organizationBodySchema,
  responses: {
    200: { description: "Changed", schema: schemas.registeredOrganizationSchema },
    201: { description: "Registered", schema: schemas.registeredOrganizationSchema },
  },
  errors: ["forbidden", "not_found", "conflict"],
  async handler({ deps, body, caller, networks, now, count }, json) {
    const allowed = () => count("principals", networks);
    const { id, created } = await registerOrganization(deps, caller, body, { now, allowed });
    const principal = organizationView(await organizationFacts(deps, { id }));
    return json({ success: true, principal, ...ignoredOf(body) }, { status: created ? 201 : 200 });
  },
});
