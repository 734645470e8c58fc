/** Organizations: the directory, one of them, and registering one. */
import { z } from "zod";
import { organizationSchema, organizationView } from "../../core/views/organization.ts";
import { endpoint, ignoredOf } from "../endpoint.ts";
import { limit, offset, organizationRef, page, searchText } from "../parameters.ts";
import { organizationBodySchema, organizationListSchema, registeredOrganizationSchema } from "../schemas/principals.ts";
import { organizationFacts, pageOfOrganizations, registerOrganization } from "../services/organizations.ts";

const tag = "Principals";

export const organizations = endpoint({
  path: "/api/v2/organizations",
  operationId: "listOrganizations",
  tag,
  summary: "Organizations, the longest registered first",
  data: true,
  query: z.object({
    search: searchText(
      "Part of a name in any case and with any accents, the beginning of a slug, an address prefix (0x…), or a token id",
    ),
    limit: limit({ default: 50, max: 100 }),
    page,
    offset,
  }),
  responses: { 200: { description: "A page of organizations", schema: organizationListSchema } },
  async handler({ deps, query }, json) {
    const { search, limit } = query;
    const offset = query.offset ?? ((query.page ?? 1) - 1) * limit;
    const { total, organizations } = await pageOfOrganizations(deps, { search, limit, offset });
    return json({
      total,
      page: Math.floor(offset / limit) + 1,
      pages: Math.ceil(total / limit),
      limit,
      offset,
      organizations: organizations.map(organizationView),
    });
  },
});

export const organization = endpoint({
  path: "/api/v2/org/{id}",
  operationId: "getOrganization",
  tag,
  summary: "An organization",
  data: true,
  params: z.object({ id: organizationRef }),
  responses: { 200: { description: "The organization", schema: organizationSchema } },
  errors: ["not_found"],
  handler: async ({ deps, params: { id } }, json) => json(organizationView(await organizationFacts(deps, id))),
});

export const organizationRegister = endpoint({
  method: "post",
  path: "/api/v2/principals/organization/register",
  operationId: "registerOrganization",
  tag,
  summary: "Register an organization, or change one's own",
  description:
    "It belongs to whoever registers it. With the slug of one's own organization, or without a slug but with its name, that one is changed; another's slug, or one that looks like it, is 409.",
  guard: { caller: "human" },
  data: true,
  body: organizationBodySchema,
  responses: {
    200: { description: "Changed", schema: registeredOrganizationSchema },
    201: { description: "Registered", schema: registeredOrganizationSchema },
  },
  errors: ["forbidden", "not_found", "conflict"],
  async handler({ deps, body, caller, networks, now, count }, json) {
    const allowed = () => count("principals", networks);
    const { id, created } = await registerOrganization(deps, caller, body, { now, allowed });
    const principal = organizationView(await organizationFacts(deps, { id }));
    return json({ success: true, principal, ...ignoredOf(body) }, { status: created ? 201 : 200 });
  },
});
