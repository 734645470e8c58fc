/** What a page of the terminal does without one of its files, without one of its answers, and offline: what is wrong with it, in sentences. */
import type { Browser, Page, Route } from "playwright-core";
import { LONG } from "../../harness/patience.ts";
import { leftWrong, until } from "../../harness/until.ts";

/** A page by its address, with its heading, who opens it, and what it says when nothing has failed. */
export type Shown = {
  origin: string;
  path: string;
  heading: string | RegExp;
  /** Gives the page a wallet that is connected. */
  connect?: ((page: Page) => Promise<void>) | undefined;
  /** What is opened or done on it, with code of its own, and what it shows then. */
  act?: Act | undefined;
  words?: string;
};

export type Act = { does: (page: Page) => Promise<unknown>; shows: string };

const ERROR = { error: "The database is away.", code: "internal", requestId: "r-1" };
/** What comes in place of an answer. */
export const INSTEAD: Record<string, (route: Route) => Promise<void>> = {
  "a refusal with 500": (route) => route.fulfill({ status: 500, json: ERROR }),
  "a refusal with 429": (route) =>
    route.fulfill({ status: 429, headers: { "retry-after": "1" }, json: { error: "Too many.", code: "rate_limited" } }),
  "JSON of another": (route) => route.fulfill({ json: { welcome: ["to the hotel"] } }),
  "an error of another": (route) => route.fulfill({ status: 502, json: { error: { reason: "bad gateway" } } }),
  nothing: (route) => route.abort(),
};

async function on<T>(browser: Browser, { origin, connect }: Shown, act: (page: Page) => Promise<T>): Promise<T> {
  const context = await browser.newContext({ baseURL: origin, viewport: { width: 1360, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(LONG);
  await connect?.(page);
  try {
    return await act(page);
  } finally {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }
}

const headingOf = (page: Page, { heading }: Shown) =>
  page.getByRole("main").getByRole("heading", { level: 1, name: heading }).first();
const isComplete = async (page: Page, shown: Shown) =>
  (await headingOf(page, shown).isVisible()) &&
  (!shown.act || (await page.locator(shown.act.shows).first().isVisible()));
const settled = (page: Page) =>
  until("nothing is loading", async () => (await page.locator('[aria-busy="true"]:visible').count()) === 0);
/** @param before runs when the page is complete, before what is done on it */
async function open(page: Page, shown: Shown, before = () => {}): Promise<void> {
  await page.goto(shown.path);
  if (!shown.act) return;
  await complete(page, shown);
  before();
  await shown.act.does(page);
}
async function complete(page: Page, shown: Shown): Promise<void> {
  await headingOf(page, shown).waitFor();
  await settled(page);
}
/** What the page says of what failed. */
const said = async (page: Page): Promise<string> =>
  (await page.locator('[role="alert"]:visible, .banner:visible').allTextContents()).join("\n");

/** @returns what is wrong with the shell and with the words */
async function standing(page: Page): Promise<string[]> {
  const words = await said(page);
  return [
    ...((await page.locator("header.bar a[href='/docs'], .nav a").count()) > 0 ? [] : ["the bar is gone"]),
    ...((await page.getByRole("main").textContent())?.trim() ? [] : ["the view is empty"]),
    ...(/\[object|undefined|NaN/.test(words) ? [`it says: ${words}`] : []),
  ];
}

/** Presses what is offered, or does again what failed, until the page is complete and says nothing any more. */
const unrecovered = (page: Page, shown: Shown) =>
  leftWrong(
    async () => {
      // At once: what is asked for again by itself takes the button away.
      const isOffered = await page.evaluate(
        "(() => { const again = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Try again'); again?.click(); return Boolean(again); })()",
      );
      if (shown.act && !isOffered && (await said(page)) !== (shown.words ?? "")) await shown.act.does(page);
      if (!(await isComplete(page, shown))) return ["it does not recover"];
      const words = await said(page);
      return words === (shown.words ?? "") ? [] : [`it still says: ${words}`];
    },
    { timeoutMs: LONG, everyMs: 200 },
  );

/** What a page asks for until it is complete, or for what is done on it, and what it says then. */
export const visit = (browser: Browser, shown: Shown): Promise<{ asked: string[]; words: string }> =>
  on(browser, shown, async (page) => {
    const asked = new Set<string>();
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      asked.add(pathname + search);
    });
    await open(page, shown, () => asked.clear());
    await until("it is complete", () => isComplete(page, shown));
    await settled(page);
    return { asked: [...asked], words: await said(page) };
  });

/** A page whose file is gone: it is loaded again once, says what to do, and is complete when the file is there again. */
export const withoutFile = (browser: Browser, shown: Shown, file: string): Promise<string[]> =>
  on(browser, shown, async (page) => {
    let documents = 0;
    page.on("request", (request) => {
      if (request.isNavigationRequest()) documents++;
    });
    await page.route(`**${file}`, (route) => route.fulfill({ status: 404, json: ERROR }));
    await open(page, shown);
    await page.getByRole("alert").filter({ visible: true }).first().waitFor();
    const wrong = await standing(page);
    if (documents > 2) wrong.push(`it was loaded ${documents} times`);
    if (!/[Tt]ry again|reload/.test(await said(page))) wrong.push(`it says: ${await said(page)}`);
    await page.unrouteAll();
    return [...wrong, ...(await unrecovered(page, shown))];
  });

/** What a buyer asks for: a page is not without it in silence. */
const EVIDENCE =
  /\/(?:offers|preflight|payments|jobs|reviews|verifications|advice|history|events|proof|terminal\/agent)\b/;
/** Of which rows badges are asked for at once follows from which came first. */
const anyBatch = (call: string): string => call.replace(/\?ids=.*/, "");
/** A page with something else in place of an answer: it stands, says what to do where something is missing, and recovers. */
export const withoutAnswer = (browser: Browser, shown: Shown, call: string, instead: keyof typeof INSTEAD) =>
  on(browser, shown, async (page) => {
    const isCall = (url: URL) => anyBatch(url.pathname + url.search) === anyBatch(call);
    const asked = page.waitForRequest((request) => isCall(new URL(request.url())));
    await page.route(isCall, INSTEAD[instead]!);
    await open(page, shown);
    await asked;
    await settled(page);
    // What is opened by an act is not busy before its code is asked for.
    await until(
      "it is complete or says why not",
      async () => (await isComplete(page, shown)) || (await said(page)) !== "",
    );
    const wrong = await standing(page);
    const words = await said(page);
    if (!(await isComplete(page, shown)) && !/Try again|by itself|asked for again/.test(words))
      wrong.push(`it is not complete and says: ${words}`);
    if (instead === "a refusal with 500" && EVIDENCE.test(call) && words === (shown.words ?? ""))
      if ((await page.getByRole("main").getByText("not loaded").count()) === 0) wrong.push("it says nothing of it");
    await page.unrouteAll();
    return [...wrong, ...(await unrecovered(page, shown))];
  });

/** A page whose connection goes and comes: it says so, another view says so too, and that comes by itself. */
export const offline = (browser: Browser, shown: Shown): Promise<string[]> =>
  on(browser, shown, async (page) => {
    await page.goto(shown.path);
    await complete(page, shown);
    await page.context().setOffline(true);
    await page.getByText("You are offline.", { exact: true }).waitFor();
    const other = shown.path === "/leaderboard" ? "/people" : "/leaderboard";
    await page.locator(`.nav a[href="${other}"]`).click();
    await page.waitForURL(`**${other}`);
    const wrong = await standing(page);
    await page.context().setOffline(false);
    await page.getByRole("main").getByRole("heading", { level: 1 }).filter({ visible: true }).first().waitFor();
    return [
      ...wrong,
      ...(await leftWrong(
        async () => {
          await settled(page);
          const words = await said(page);
          return words === "" ? [] : [`it still says: ${words}`];
        },
        { timeoutMs: LONG, everyMs: 200 },
      )),
    ];
  });
