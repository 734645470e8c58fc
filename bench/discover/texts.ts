/** What the agents of the synthetic directory say of themselves: names, descriptions and offers in several styles and languages. */
import { foreignText } from "../../core/directory/foreign-text.ts";
import { between, pick, weighted } from "../../harness/random.ts";
import { type Ability, type Agent, FAMOUS, type TextLanguage } from "./agents.ts";
import { ABROAD, CHAINS, LANGUAGES, type Scope, TASK_KEYS, type TaskKey, taskOf } from "./tasks.ts";

type Random = () => number;
export type OfferText = { kind: "skill" | "tool" | "resource"; name: string; description: string; tags: string[] };
export type Text = { name: string; description: string | null; offers: OfferText[] };

/** The text of an agent; what a registry's reader would have removed is removed. */
export function textOf(agent: Agent): Text {
  const { random } = agent;
  const name = nameOf(agent);
  // A price is known from an offer only.
  const offered = agent.abilities.length > 0 && (random() < 0.6 || agent.priceUsd !== null);
  const offers = offered
    ? offersOf(agent, agent.abilities)
    : agent.kind === "stuffed"
      ? offersOf(agent, anything(random))
      : [];
  // Where offers say what it does, a quarter of the descriptions says nothing.
  const vague = offers.length > 0 && agent.kind === "specialist" && random() < 0.25;
  const description = vague ? pick(random, VAGUE) : descriptionOf(agent, name);
  return {
    name: foreignText(numbered(agent, name), 64) ?? "agent",
    description: foreignText(description === null ? null : numbered(agent, description), 2_000, { lines: true }),
    offers,
  };
}

const VAGUE = [
  "An AI agent. See the skills.",
  "Production service, documented endpoints.",
  "Autonomous agent on Base.",
  "v1.2 – stable",
] as const;

/** Copies of one operator count their names. */
const numbered = ({ kind, slot }: Agent, text: string) =>
  kind === "operator-copy" ? text.replace(/^\S+/, (word) => `${word} #${1 + (slot % 50)}`) : text;

const FIRST =
  "Nova,Atlas,Quill,Zephyr,Ember,Orbit,Cobalt,Juniper,Halcyon,Vesper,Marlow,Onyx,Sable,Tundra,Willow,Argent,Basalt,Cinder,Drift,Fable,Garnet,Harbor,Iris,Jasper,Kite,Linden,Maple,Nimbus,Opal,Pike,Raven,Sorrel,Thistle,Umber,Violet,Wren,Xylo,Yarrow,Zinc,Aster".split(
    ",",
  );
const LAST =
  "Labs,AI,Agent,Bot,Works,Protocol,Hub,Mind,Forge,Pilot,Engine,Desk,Flow,Studio,Assist,One,Core,Link,Sense,Craft".split(
    ",",
  );

function nameOf({ kind, abilities, famous, random }: Agent): string {
  if (kind === "famous") return FAMOUS[famous!]!.name;
  if (kind === "imitator") return imitated(FAMOUS[famous!]!.name, random);
  const main = abilities[0];
  const style = random();
  const hint = main ? capital(pick(random, words(pick(random, taskOf(main.task).nouns)))) : "";
  if (kind === "stuffed" && style < 0.25)
    return Array.from({ length: 4 }, () => nounOf(pick(random, TASK_KEYS), [], random)).join(" ");
  if (kind === "stuffed" && style < 0.5)
    return `${pick(random, FIRST)} ${capital(
      words(nounOf(pick(random, TASK_KEYS), [], random))
        .slice(0, 3)
        .join(" "),
    )}`;
  if (hint && style < 0.45)
    return pick(random, [
      `${hint}${pick(random, LAST)}`,
      `${pick(random, FIRST)} ${hint}`,
      `${hint} ${pick(random, LAST)}`,
    ]);
  if (style < 0.8) return `${pick(random, FIRST)} ${pick(random, LAST)}`;
  return `${pick(random, FIRST)}${pick(random, LAST)}-${between(random, 1, 9999)}`;
}

/** Letters that look alike, words that claim, and characters that are not seen. */
const imitated = (name: string, random: Random): string =>
  pick(random, [
    (n: string) => `${n} Official`,
    (n: string) => n.replace("o", "о").replace("a", "а").replace("e", "е"),
    (n: string) => n.replace("l", "I").replace("i", "l"),
    (n: string) => [...n].join("\u034f"),
    (n: string) => `${n.slice(0, 3)}\u200b${n.slice(3)}\u200d`,
    (n: string) => `${n}\u{e0041}`,
    (n: string) => `The Real ${n}`,
    (n: string) => `${n.replaceAll(" ", "")}_v2`,
  ])(name);

function descriptionOf(agent: Agent, name: string): string | null {
  const { kind, random, language, abilities } = agent;
  if (kind === "blank") return pick(random, BLANK);
  if (kind === "persona") return personaText(name, random);
  if (kind === "stuffed") return stuffedText(random);
  if (language !== "en") return abroadText(agent, name, language);
  const text = weighted(random, STYLES)(agent, name);
  const asides: string[] = [];
  if (agent.priceUsd !== null && random() < 0.4) asides.push(`$${agent.priceUsd} per call, paid with x402.`);
  if (agent.speaks.includes("mcp") && random() < 0.3) asides.push("Connect it as an MCP server.");
  // Other agents' tasks in passing.
  if (random() < 0.2) asides.push(`Pairs well with agents that ${doing(otherTask(abilities, random), [], random)}.`);
  return [text, ...asides].join(" ");
}

const BLANK = [
  null,
  null,
  "test",
  "asdf",
  "My first agent",
  "A helpful AI assistant.",
  "Created with the SDK.",
  "hello world",
  "Coming soon 🚀",
  "agent",
] as const;

function personaText(name: string, random: Random): string {
  const task = () => pick(random, TASK_KEYS);
  const aside = () =>
    pick(random, [
      () => `Not a ${nounOf(task(), [], random)}, just vibes.`,
      () => `Built by the team behind a ${nounOf(task(), [], random)}.`,
      () => `I once tried to ${doing(task(), [], random)} and failed.`,
      () => `Ask me why nobody wants to ${doing(task(), [], random)} any more.`,
      () => `Big fan of ${nounOf(task(), [], random)} and cold noodles.`,
      () => `Holders get access to future ${nounOf(task(), [], random)} partnerships.`,
      () => `Speaks ${pick(random, Object.values(LANGUAGES))[0]}, dreams on ${pick(random, Object.values(CHAINS))[0]}.`,
    ])();
  const start = pick(random, [
    `${name} is a degenerate frog with opinions.`,
    `Memecoin mascot of the ${pick(random, FIRST)} community.`,
    `Your late-night companion for stories and jokes.`,
    `An oracle from a forgotten timeline who feeds on attention.`,
    `${name} roams the timeline and trades insults for fun.`,
  ]);
  return [start, ...Array.from({ length: between(random, 0, 3) }, aside)].join(" ");
}

/** The words of one task forty times, or the words of all tasks once. */
function stuffedText(random: Random): string {
  if (random() < 0.5) {
    const scope = [pick(random, Object.keys(CHAINS)), pick(random, Object.keys(LANGUAGES))];
    const { does, nouns, scope: kind } = taskOf(pick(random, TASK_KEYS));
    const named = kind ? [kind === "chain" ? scope[0]! : scope[1]!] : [];
    const phrases = [...does, ...nouns].map((phrase) => fill(phrase, kind, named, random));
    return Array.from({ length: 40 }, () => pick(random, phrases)).join(pick(random, [", ", " ", " | ", ". "]));
  }
  const all = [...Object.values(CHAINS), ...Object.values(LANGUAGES)].map(([first]) => first);
  const phrases = TASK_KEYS.map((key) => nounOf(key, [], random));
  return `best #1 top agent: ${[...phrases, ...all, "mcp", "a2a", "x402", "cheap", "free"].sort(() => random() - 0.5).join(", ")}`;
}

type Style = (agent: Agent, name: string) => string;

const all = ({ abilities, random }: Agent) => abilities.map(({ task, scope }) => doing(task, scope, random));
const allNouns = ({ abilities, random }: Agent) => abilities.map(({ task, scope }) => nounOf(task, scope, random));

const marketing: Style = (agent, name) => {
  const { random } = agent;
  const [first, ...more] = all(agent);
  return `${pick(random, ["Meet", "Introducing", "Say hello to"])} ${name}, ${pick(random, ["the smartest way to", "the fastest way to", "your AI partner to"])} ${first}. ${more.length ? `It can also ${listed(more)}. ` : ""}${pick(random, ["Reliable, fast, always on. 🚀", "Trusted by teams everywhere.", "No setup. Just results.", "24/7 on Base."])}`;
};
const terse: Style = (agent) => `${capital(listed(allNouns(agent)))}.`;
const readme: Style = (agent, name) =>
  `# ${name}\n\n${name} ${listed(all(agent).map(third))}.\n\n## Usage\n\nPOST /run with a JSON body; answers arrive within ${between(agent.random, 1, 90)} seconds.\n\n## Features\n\n${allNouns(
    agent,
  )
    .map((noun) => `- ${noun}`)
    .join("\n")}\n- JSON output\n\nLicense: MIT`;
const capabilities: Style = (agent) =>
  `Capabilities: ${allNouns(agent).join("; ")}. Input: text or URL. Output: JSON. Limits: ${between(agent.random, 5, 500)} requests a minute.`;
const firstPerson: Style = (agent) => {
  const [first, ...more] = all(agent);
  return `I ${first}.${more.map((phrase) => ` I also ${phrase}.`).join("")} ${pick(agent.random, ["Ask me anything about it.", "I learn from every job.", "Send me a message and I start at once."])}`;
};
const broken: Style = (agent) =>
  `This agent he ${listed(all(agent))} very good and cheaply, you send the thing and he do it, ${listed(allNouns(agent))} is best quality no problem`;
const json: Style = (agent, name) =>
  JSON.stringify({ name, version: "1.0", capabilities: allNouns(agent), actions: all(agent) });
const boilerplate: Style = (agent, name) =>
  `In a world where autonomous agents transact with each other, trust and interoperability matter more than ever. ${name} was created by a team of engineers with decades of experience in distributed systems. We believe in open standards, user ownership and transparent pricing. After many months of research we are proud to share what we have built with the community. In short: we ${listed(all(agent))}. Follow us for updates, and read our docs before use. This is not financial advice.`;

const STYLES: readonly (readonly [Style, number])[] = [
  [marketing, 20],
  [terse, 15],
  [readme, 15],
  [capabilities, 15],
  [firstPerson, 12],
  [boilerplate, 9],
  [broken, 8],
  [json, 6],
];

const NAMES_OF_LANGUAGES: Record<(typeof ABROAD)[number], readonly string[]> = {
  fr: "français,espagnol,allemand,chinois,japonais,portugais,coréen,arabe,italien,russe,hindi,turc".split(","),
  es: "francés,español,alemán,chino,japonés,portugués,coreano,árabe,italiano,ruso,hindi,turco".split(","),
  de: "Französisch,Spanisch,Deutsch,Chinesisch,Japanisch,Portugiesisch,Koreanisch,Arabisch,Italienisch,Russisch,Hindi,Türkisch".split(
    ",",
  ),
  pt: "francês,espanhol,alemão,chinês,japonês,português,coreano,árabe,italiano,russo,hindi,turco".split(","),
  zh: "法语,西班牙语,德语,中文,日语,葡萄牙语,韩语,阿拉伯语,意大利语,俄语,印地语,土耳其语".split(","),
  ja: "フランス語,スペイン語,ドイツ語,中国語,日本語,ポルトガル語,韓国語,アラビア語,イタリア語,ロシア語,ヒンディー語,トルコ語".split(
    ",",
  ),
};
const ABROAD_STYLES: Record<(typeof ABROAD)[number], readonly ((name: string, what: string) => string)[]> = {
  fr: [
    (n, w) => `${n} : ${w}. Rapide, fiable et disponible à toute heure.`,
    (_, w) => `Agent spécialisé : ${w}.`,
    (n, w) => `Bonjour, je suis ${n}. Mon métier : ${w}. Écrivez-moi !`,
  ],
  es: [
    (n, w) => `${n}: ${w}. Rápido, fiable y siempre disponible.`,
    (_, w) => `Agente especializado en ${w}.`,
    (n, w) => `Hola, soy ${n}. Me dedico a ${w}. ¡Escríbeme!`,
  ],
  de: [
    (n, w) => `${n}: ${w}. Schnell, zuverlässig und rund um die Uhr.`,
    (_, w) => `Spezialisierter Agent: ${w}.`,
    (n, w) => `Ich bin ${n}. Meine Aufgabe: ${w}.`,
  ],
  pt: [
    (n, w) => `${n}: ${w}. Rápido, confiável e sempre disponível.`,
    (_, w) => `Agente especializado em ${w}.`,
    (n, w) => `Olá, sou ${n}. Faço ${w}.`,
  ],
  zh: [
    (n, w) => `${n}:${w}。快速可靠,全天候服务。`,
    (_, w) => `专业智能体,提供${w}。`,
    (n, w) => `我是${n},擅长${w}。`,
  ],
  ja: [
    (n, w) => `${n}:${w}。迅速で信頼できるサービスです。`,
    (_, w) => `${w}に特化したエージェント。`,
    (n, w) => `${n}です。${w}が得意です。`,
  ],
};

function abroadText({ abilities, random }: Agent, name: string, language: Exclude<TextLanguage, "en">): string {
  const known = Object.keys(LANGUAGES);
  const what = abilities.map(({ task, scope }) => {
    const phrase = taskOf(task).abroad[ABROAD.indexOf(language)]!;
    if (scope.length === 0) return phrase;
    const named = scope.map((key) =>
      taskOf(task).scope === "language"
        ? NAMES_OF_LANGUAGES[language][known.indexOf(key)]!
        : CHAINS[key as keyof typeof CHAINS][0],
    );
    return `${phrase} (${named.join(", ")})`;
  });
  return pick(random, ABROAD_STYLES[language])(name, what.join("; "));
}

/** One offer for each ability, of the kinds that its protocols have. */
function offersOf({ speaks, random }: Agent, abilities: readonly Ability[]): OfferText[] {
  const kinds: OfferText["kind"][] = [];
  if (speaks.includes("a2a")) kinds.push("skill");
  if (speaks.includes("mcp")) kinds.push("tool");
  if (speaks.includes("x402")) kinds.push("resource");
  return kinds.flatMap((kind) =>
    abilities.map(({ task, scope }) => {
      const noun = nounOf(task, scope, random);
      const slug = words(noun)
        .slice(0, 3)
        .join(kind === "tool" ? "_" : "-")
        .toLowerCase();
      return {
        kind,
        name: kind === "skill" ? capital(noun) : kind === "tool" ? slug : `/v1/${slug}`,
        description: `${capital(third(doing(task, scope, random)))}.`,
        tags: kind === "skill" ? [taskOf(task).field, ...scope] : [],
      };
    }),
  );
}

/** What keyword stuffing claims to offer. */
const anything = (random: Random): Ability[] =>
  Array.from({ length: 8 }, () => ({ task: pick(random, TASK_KEYS), scope: [], main: false }));

const otherTask = (abilities: readonly Ability[], random: Random): TaskKey => {
  for (;;) {
    const task = pick(random, TASK_KEYS);
    if (!abilities.some((ability) => ability.task === task)) return task;
  }
};

const doing = (task: TaskKey, scope: readonly string[], random: Random) =>
  fill(pick(random, taskOf(task).does), taskOf(task).scope, scope, random);
const nounOf = (task: TaskKey, scope: readonly string[], random: Random) =>
  fill(pick(random, taskOf(task).nouns), taskOf(task).scope, scope, random);

/** Puts the agent's chains or languages into a phrase, in one of the ways people write them. */
function fill(phrase: string, kind: Scope | undefined, scope: readonly string[], random: Random): string {
  if (!kind || !phrase.includes("{x}")) return phrase;
  const names = scope.map((key) => {
    const written = kind === "chain" ? CHAINS[key as keyof typeof CHAINS] : LANGUAGES[key as keyof typeof LANGUAGES];
    return random() < 0.75 ? written[0] : pick(random, written);
  });
  return phrase.replace("{x}", names.length ? listed(names) : kind === "chain" ? "any chain" : "many languages");
}

const listed = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
const words = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "" && word !== "x");
const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** "translate documents" → "translates documents"; only the first word changes. */
const third = (phrase: string) =>
  phrase.replace(/^\S+/, (verb) =>
    /(s|sh|ch|x|z)$/.test(verb) ? `${verb}es` : /[^aeiou]y$/.test(verb) ? `${verb.slice(0, -1)}ies` : `${verb}s`,
  );
