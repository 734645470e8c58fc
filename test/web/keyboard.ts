/** A page by the keyboard alone: what a person finds who presses Tab through all of it, and works what it offers with the keys that its roles promise. */
import type { Locator, Page } from "playwright-core";
import { until } from "../../harness/until.ts";

/** Runs in the page before the walk: the functions that judge a stop. */
const PREPARE = `(() => {
  const TABBABLE = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]";
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length > 0 && !one.closest("[inert]");
  const words = (one) => (one.getAttribute("aria-label") || one.innerText || one.name || one.id || one.outerHTML).trim().replaceAll("\\n", " ").slice(0, 60);
  // Of radio buttons with one name Tab reaches one: the chosen one, or the first.
  const first = (one, _, all) => {
    if (one.type !== "radio") return true;
    const group = all.filter((other) => other.type === "radio" && other.name === one.name && other.form === one.form);
    return one === (group.find(({ checked }) => checked) ?? group[0]);
  };
  const stops = () => [...document.querySelectorAll(TABBABLE)].filter((one) => one.tabIndex >= 0 && seen(one)).filter(first);
  const clicked = (one) => {
    const props = Object.keys(one).find((key) => key.startsWith("__reactProps$"));
    return (props && one[props].onClick) || getComputedStyle(one).cursor === "pointer" && getComputedStyle(one.parentElement).cursor !== "pointer";
  };
  // A line of a list may be clicked as a whole where it has a link of its own; options are chosen with the arrows of their field.
  const pointerOnly = () => [...document.querySelectorAll("body *")].filter((one) => seen(one) && clicked(one) &&
    !one.closest(TABBABLE + ", label, option, [role=option]") && !one.querySelector(TABBABLE)).map(words);
  // What shows the focus: of the stop itself, of what frames it, and of what stands for a hidden box of a form.
  const look = (one) => [one, one.parentElement, one.closest("label"), one.nextElementSibling].filter(Boolean).map((part) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } = getComputedStyle(part);
    return outlineStyle === "none" || outlineWidth === "0px" ? boxShadow + borderColor : [outlineWidth, outlineColor, boxShadow, borderColor].join();
  }).join(" / ");
  const at = (one, x, y) => {
    const on = document.elementFromPoint(x, y);
    return on && (one.contains(on) || (on.contains(one) && on.closest("label")?.control === one) || on.closest("label")?.control === one) ? null : on;
  };
  const judge = (one) => {
    const wrong = [];
    if (matchMedia("(prefers-reduced-motion: reduce)").matches && document.getAnimations().length > 0) wrong.push("moves where less motion is asked for");
    const { left, top, width, height, right, bottom } = one.getClientRects()[0];
    const tall = height > innerHeight / 2;
    const y = (value) => Math.max(1, Math.min(innerHeight - 2, value));
    const x = Math.max(1, Math.min(innerWidth - 2, left + width / 2));
    if (right < 1 || left > innerWidth - 1 || bottom < 1 || top > innerHeight - 1) wrong.push("is out of view");
    else if (!tall && (top < -1 || bottom > innerHeight + 1)) wrong.push("is cut off by the window");
    else {
      // Of a field of several lines the browser shows the line one writes in.
      const points = tall ? [(Math.max(0, top) + Math.min(innerHeight, bottom)) / 2] : one.tagName === "TEXTAREA" ? [top + 3, top + height / 2] : [top + Math.min(3, height / 2), top + height / 2, bottom - Math.min(3, height / 2)];
      const cover = points.map((point) => at(one, x, y(point))).find((on) => on && !on.contains(one));
      if (cover) wrong.push("is covered by " + cover.tagName.toLowerCase() + "." + cover.className);
    }
    return wrong;
  };
  // What a running world adds behind the walk (rows that are new) is not missed by it.
  const walk = { begun: new Set(stops()), reached: new Set(), last: null, lastLook: "" };
  // The items of a long list are alike: the walk goes on near its end.
  const leap = (one) => {
    const item = one.closest("tr, li");
    const all = item ? [...item.parentElement.children] : [];
    const place = all.indexOf(item);
    if (place < 6 || all.length - place < 8) return;
    const skipped = all.slice(place, -3).flatMap((other) => stops().filter((stop) => other.contains(stop)));
    for (const stop of skipped) walk.reached.add(stop);
    walk.last = skipped.at(-1);
    walk.last.focus();
    walk.lastLook = look(walk.last);
  };
  window.keyboardWalk = {
    stops: () => stops().length,
    pointerOnly,
    step: () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
      const one = document.activeElement === document.body || document.activeElement === document.documentElement ? null : document.activeElement;
      const wrong = [];
      if (walk.last?.isConnected && one !== walk.last && look(walk.last) === walk.lastLook) wrong.push(words(walk.last) + ": does not show the focus");
      if (!one) return done({ wrong, over: true });
      if (walk.reached.has(one)) return done({ wrong, over: one !== walk.last, stuck: one === walk.last ? words(one) : null });
      wrong.push(...judge(one).map((what) => words(one) + ": " + what));
      if (walk.last?.isConnected && !(walk.last.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING)) wrong.push(words(one) + ": comes too late in the order");
      walk.reached.add(one);
      walk.last = one;
      walk.lastLook = look(one);
      leap(one);
      done({ wrong, over: false, stuck: null });
    }))),
    missed: () => stops().filter((one) => walk.begun.has(one) && !walk.reached.has(one)).map((one) => words(one) + " (the last was " + (walk.last ? words(walk.last) : "none") + ")"),
  };
  // Tab goes on from where the focus was last: that is the beginning of the page now.
  const start = document.body.insertBefore(document.createElement("i"), document.body.firstChild);
  start.tabIndex = -1;
  start.focus();
  start.remove();
  scrollTo(0, 0);
})()`;

type Step = { wrong: string[]; over: boolean; stuck?: string | null };

/** Presses Tab through the page as it is. @returns what is wrong, in words; empty when nothing is */
export async function walkByKeyboard(page: Page): Promise<string[]> {
  await page.evaluate(PREPARE);
  const found = (await page.evaluate<string[]>("keyboardWalk.pointerOnly()")).map(
    (words) => `${words}: only a pointer reaches it`,
  );
  const stops = await page.evaluate<number>("keyboardWalk.stops()");
  // Lists that load while one walks through them add stops.
  const most = 4 * stops + 40;
  for (let press = 0; press < most; press++) {
    await page.keyboard.press("Tab");
    const { wrong, over, stuck = null } = await page.evaluate<Step>("keyboardWalk.step()");
    found.push(...wrong);
    if (stuck !== null) return [...found, `${stuck}: Tab does not leave it`];
    if (!over) continue;
    const missed = await page.evaluate<string[]>("keyboardWalk.missed()");
    return [...found, ...missed.map((words) => `${words}: Tab does not reach it`)];
  }
  return [...found, `the focus does not leave the page within ${most} presses of Tab`];
}

/** Max controls of one kind that are worked on a page; those of a long list are alike. */
const EACH = 4;
const wordsOf = async (one: Locator) =>
  ((await one.getAttribute("aria-label")) ?? (await one.textContent()) ?? "").trim().slice(0, 60);
/** @param expression over the element `one` */
const ask = (one: Locator, expression: string): Promise<boolean> =>
  one.evaluate(new Function("one", `return ${expression}`) as (one: unknown) => boolean);
const isFocused = (one: Locator) => ask(one, "document.activeElement === one");
const became = (what: () => Promise<boolean>) =>
  until("it changes", what, { everyMs: 20 }).then(
    () => true,
    () => false,
  );

/**
 * Works what is on the page, or in the part of it, with the keys its roles promise: dialogs and menus open with Enter and close
 * with Escape, which gives the focus back; what folds and what is pressed takes Enter and Space; radio buttons take arrows.
 * @returns what is wrong, in words
 */
export async function workByKeyboard(page: Page, part: Locator): Promise<string[]> {
  const found: string[] = [];
  const each = async (selector: string, work: (one: Locator, words: string) => Promise<void>) => {
    for (const one of (await part.locator(selector).all()).slice(0, EACH)) {
      if (!(await one.isVisible()) || !(await one.isEnabled())) continue;
      await one.focus();
      await work(one, await wordsOf(one));
    }
  };
  const closesByEscape = async (one: Locator, words: string, isOpen: () => Promise<boolean>) => {
    await page.keyboard.press("Escape");
    if (!(await became(async () => !(await isOpen())))) found.push(`${words}: Escape does not close it`);
    else if (!(await became(() => isFocused(one)))) found.push(`${words}: Escape does not give the focus back`);
  };
  await each("[aria-haspopup=dialog]", async (one, words) => {
    const inDialog = () => page.evaluate<boolean>("!!document.activeElement?.closest('dialog[open]')");
    await page.keyboard.press("Enter");
    if (await became(inDialog))
      await closesByEscape(one, words, async () => (await page.locator("dialog[open]").count()) > 0);
    else found.push(`${words}: Enter opens no dialog that has the focus`);
  });
  await each("summary", async (one, words) => {
    const isOpen = () => ask(one, "one.parentElement.open");
    const before = await isOpen();
    await page.keyboard.press("Enter");
    if (!(await became(async () => (await isOpen()) !== before))) found.push(`${words}: Enter does not open it`);
    else if (await ask(one, "one.parentElement.matches('.menu')")) {
      await page.keyboard.press("Tab");
      await closesByEscape(one, words, isOpen);
    } else {
      await page.keyboard.press("Space");
      if (!(await became(async () => (await isOpen()) === before))) found.push(`${words}: Space does not close it`);
    }
  });
  await each("button[aria-expanded]", async (one, words) => {
    for (const key of ["Enter", "Space"]) {
      const before = await one.getAttribute("aria-expanded");
      await page.keyboard.press(key);
      if (!(await became(async () => (await one.getAttribute("aria-expanded")) !== before)))
        found.push(`${words}: ${key} does nothing`);
      if (!(await isFocused(one))) return void found.push(`${words}: ${key} loses the focus`);
    }
  });
  // What is pressed already may be one of a set, of which one stays chosen.
  let turn = 0;
  await each("button[aria-pressed=false]", async (one, words) => {
    const pressed = await one.elementHandle();
    const key = turn++ % 2 === 0 ? "Enter" : "Space";
    await page.keyboard.press(key);
    if (!(await became(async () => (await pressed?.getAttribute("aria-pressed")) === "true")))
      found.push(`${words}: ${key} does nothing`);
    if (!(await pressed?.evaluate(new Function("one", "return document.activeElement === one") as () => boolean)))
      found.push(`${words}: ${key} loses the focus`);
  });
  await each("input[type=checkbox]", async (one, words) => {
    for (const _ of ["on", "off"]) {
      const before = await one.isChecked();
      await page.keyboard.press("Space");
      if (!(await became(async () => (await one.isChecked()) !== before))) found.push(`${words}: Space does nothing`);
    }
  });
  await each("input[type=radio]:checked", async (one, words) => {
    const group = part.locator(`input[type=radio][name="${await one.getAttribute("name")}"]:enabled`);
    const chosen = await one.elementHandle();
    if ((await group.count()) < 2) return;
    await page.keyboard.press("ArrowDown");
    if (!(await became(async () => !(await chosen?.isChecked())))) found.push(`${words}: the arrow chooses no other`);
    await page.keyboard.press("ArrowUp");
  });
  return found;
}
