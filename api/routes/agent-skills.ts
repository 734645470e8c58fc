/**
 * Skills: what agents do with this service, each as a page that a language model follows (SKILL.md, in api/skills).
 * @see https://github.com/cloudflare/agent-skills-discovery-rfc version 0.2.0
 */
import { hash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { Failure } from "../../core/errors.ts";
import { quoted } from "../../core/quoted.ts";
import { url } from "../../core/views/fields.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { CACHE, endpoint } from "../endpoint.ts";

const FOLDER = join(PROJECT_ROOT, "api/skills");
const TAG = "Agent protocols";
const PLACE = "/.well-known/agent-skills";

/** Pages by name; `{service}` in a page is replaced by the URL of the service. */
const PAGES = new Map(
  globSync("*.md", { cwd: FOLDER })
    .toSorted()
    .map((file) => [basename(file, ".md"), readFileSync(join(FOLDER, file), "utf8")]),
);

const pageFor = (page: string, publicUrl: string) => page.replaceAll("{service}", publicUrl);
const descriptionOf = (page: string) => /^description: (.+)$/m.exec(page)![1]!;

export const agentSkills = endpoint({
  path: `${PLACE}/index.json`,
  operationId: "getAgentSkills",
  tag: TAG,
  summary: "Skills: what agents do with this service, step by step",
  description: "Agent Skills Discovery, version 0.2.0.",
  responses: {
    200: {
      description: "The index",
      schema: z
        .object({
          $schema: z.literal("https://schemas.agentskills.io/discovery/0.2.0/schema.json"),
          skills: z.array(
            z.object({
              name: z.string(),
              type: z.literal("skill-md"),
              description: z.string(),
              url,
              digest: z.string().meta({ description: "sha256:{hex} of the page's bytes" }),
            }),
          ),
        })
        .meta({ id: "AgentSkillsIndex" }),
    },
  },
  cache: CACHE.release,
  handler({ deps: { config } }, json) {
    const { publicUrl } = config.service;
    return json({
      $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      skills: [...PAGES].map(([name, page]) => ({
        name,
        type: "skill-md",
        description: descriptionOf(page),
        url: `${publicUrl}${PLACE}/${name}/SKILL.md`,
        digest: `sha256:${hash("sha256", pageFor(page, publicUrl), "hex")}`,
      })),
    });
  },
});

export const agentSkill = endpoint({
  path: `${PLACE}/{name}/SKILL.md`,
  operationId: "getAgentSkill",
  tag: TAG,
  summary: "A skill, as Markdown",
  params: z.object({ name: z.string().max(64).meta({ example: "find-an-agent" }) }),
  responses: { 200: { description: "The page", type: "text/markdown" } },
  errors: ["not_found"],
  cache: CACHE.release,
  handler({ deps: { config }, params: { name } }) {
    const page = PAGES.get(name);
    if (page === undefined)
      throw new Failure("not_found", `There is no skill ${quoted(name)}.`, {
        hint: `The skills are ${[...PAGES.keys()].join(", ")}.`,
      });
    return { status: 200, type: "text/markdown; charset=utf-8", content: pageFor(page, config.service.publicUrl) };
  },
});
