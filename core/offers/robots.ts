/** The rules of a robots.txt (RFC 9309), read and applied at a bounded cost: it is untrusted. */

/** A rule of the group that applies, its path as it is matched. */
type Rule = { parts: readonly string[]; isWhole: boolean; length: number; allows: boolean };
export type RobotsRules = readonly Rule[];

/** Of a file the first characters are read (RFC 9309, section 2.5), of a group the first rules; what is longer is no path. */
const MAX_CHARS = 512_000;
const MAX_RULES = 1_000;
const MAX_PATH_CHARS = 500;

const LINE = /^[ \t]*([a-z-]+)[ \t]*:[ \t]*([^#\r\n]*)/gim;

const tokenOf = (agent: string) => /^[a-z_-]+/i.exec(agent)?.[0].toLowerCase();

/** @param product what its lines `user-agent` are compared with, up to its first character that no name has; else the group of `*` applies */
export function robotsRules(text: string, product: string): RobotsRules {
  const ours = tokenOf(product);
  const groups = { own: [] as Rule[], all: [] as Rule[] };
  let isNamed = false;
  let agents: ("own" | "all" | null)[] = [];
  // The last line of agents is followed by rules: the next one begins another group.
  let hasRules = false;
  for (const [, key, value] of text.slice(0, MAX_CHARS).matchAll(LINE)) {
    const [name, given] = [key!.toLowerCase(), value!.trim()];
    if (name === "user-agent") {
      if (hasRules) agents = [];
      hasRules = false;
      const token = tokenOf(given);
      const group = given.startsWith("*") ? "all" : token !== undefined && token === ours ? "own" : null;
      isNamed ||= group === "own";
      if (!agents.includes(group)) agents.push(group);
    } else if (name === "allow" || name === "disallow") {
      hasRules = true;
      if (given === "" || given.length > MAX_PATH_CHARS) continue;
      const rule = ruleOf(given, name === "allow");
      for (const group of agents) if (group !== null && groups[group].length < MAX_RULES) groups[group].push(rule);
    }
  }
  return isNamed ? groups.own : groups.all;
}

function ruleOf(given: string, allows: boolean): Rule {
  const isWhole = given.endsWith("$");
  const path = isWhole ? given.slice(0, -1) : given;
  return { parts: path.split(/\*+/).map(encoded), isWhole, length: path.length, allows };
}

/** As a URL has it: what is not ASCII is encoded, what is encoded stays. */
const encoded = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent)
    .replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());

/** Whether the longest rule that fits allows a URL; of two as long, the one that allows. */
export function robotsAllow(rules: RobotsRules, { pathname, search }: Pick<URL, "pathname" | "search">): boolean {
  const path = encoded(pathname + search).slice(0, MAX_PATH_CHARS);
  let best: Rule | null = null;
  for (const rule of rules)
    if (
      (best === null || rule.length > best.length || (rule.length === best.length && rule.allows)) &&
      fits(rule, path)
    )
      best = rule;
  return best?.allows ?? true;
}

/** The parts between wildcards, each at its first place: no other choice fits where this one does not. */
function fits({ parts: [first = "", ...others], isWhole }: Rule, path: string): boolean {
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const [i, part] of others.entries()) {
    if (isWhole && i === others.length - 1) return path.length - part.length >= at && path.endsWith(part);
    const index = path.indexOf(part, at);
    if (index < 0) return false;
    at = index + part.length;
  }
  return !isWhole || at === path.length;
}
