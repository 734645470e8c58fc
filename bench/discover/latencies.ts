/** How long the search takes: whole questions, questions as they are typed, and until a changed description is found. */
import type pg from "pg";
import { stopwatch } from "../../harness/figures.ts";
import type { World } from "./agents.ts";
import { QUESTIONS } from "./questions.ts";
import { discoverWay, follow } from "./service.ts";

const ROUNDS = 3;
/** The letters of every question are too many: those of every third are typed. */
const TYPED = 3;
const CHANGES = 20;
const POLL_MS = 10;
const MAX_WAIT_MS = 20_000;

/** @returns milliseconds of each question, one after the other; `firstLetters` are the prefixes of one to three letters */
export async function latencies(pool: pg.Pool, world: World) {
  const way = discoverWay(pool, world);
  const msOf = async (q: string) => (await stopwatch(() => way.ask(q)))[0];
  const whole: number[] = [];
  for (let round = 0; round < ROUNDS; round++) for (const { q } of QUESTIONS) whole.push(await msOf(q));
  const prefixes: number[] = [];
  const firstLetters: number[] = [];
  for (const { q } of QUESTIONS.filter((_, i) => i % TYPED === 0)) {
    const letters = [...q];
    for (let length = 1; length <= letters.length; length++) {
      const ms = await msOf(letters.slice(0, length).join(""));
      prefixes.push(ms);
      if (length <= 3) firstLetters.push(ms);
    }
  }
  return { whole, prefixes, firstLetters, foundMs: await untilFound(pool, world) };
}

/** Gives rows a description with a word that no other has, each from its commit until the search finds it. */
async function untilFound(pool: pg.Pool, world: World): Promise<number[]> {
  const way = discoverWay(pool, world);
  const following = follow(pool, world);
  const times: number[] = [];
  try {
    for (let n = 1; n <= CHANGES; n++) {
      const id = Math.floor((world.rows * n) / (CHANGES + 1));
      // A kept directory has the words of earlier runs.
      const word = `zanthor${Date.now().toString(36)}${n}`;
      await pool.query("update offchain.directory set description = $2 where id = $1", [
        id,
        `It repairs ${word} valves.`,
      ]);
      const committed = performance.now();
      while (!(await way.ask(word)).includes(id) && performance.now() - committed < MAX_WAIT_MS)
        await new Promise((done) => setTimeout(done, POLL_MS));
      times.push(performance.now() - committed);
    }
  } finally {
    await following.stop();
  }
  return times;
}
