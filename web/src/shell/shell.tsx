/** The frame of every view: bar, banner about connection and index, footer with the served block. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { indexStaleness, Problem } from "../api/answer.ts";
import { status } from "../api/queries.ts";
import { count, short } from "../formats.ts";
import { Icon, IconButton, Menu } from "../parts/button.tsx";
import { Sigil } from "../parts/cred.tsx";
import { useTitle } from "../parts/panel.tsx";
import { Boundary, FailureNote } from "../parts/states.tsx";
import { SITE_NAME } from "../site.ts";
import { applyTheme, store, useStored } from "../stored.ts";
import { useWallet } from "../wallet/session.ts";
import { dialogOnDemand } from "./dialog.tsx";
import { Keyboard } from "./keyboard.tsx";
import { PLACES } from "./places.ts";
import { SearchBox } from "./search-box.tsx";
import { useOnline } from "./view.tsx";

/** Lag in seconds above which the data are shown as late. */
export const LATE_SECONDS = 60;

/** The page that was opened has a title of the service's own. */
const first = { path: location.pathname, title: document.title };

export function Shell({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  useArrival();
  const place = PLACES.find(({ to }) => to === path)?.label;
  useTitle(place && (path === first.path ? first.title : `${place} · ${SITE_NAME}`));
  const linksTo = (places: readonly { to: string; label: string }[]) =>
    places.map(({ to, label }) => (
      <Link key={to} href={to} aria-current={path === to ? "page" : undefined}>
        {label}
      </Link>
    ));
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="bar">
        <Link href="/" className="brand" aria-label={`${SITE_NAME} directory`}>
          <svg
            width="24"
            height="24"
            viewBox="0 0 24 24"
            aria-hidden="true"
            fill="none"
            strokeLinecap="round"
            strokeWidth="2.6"
          >
            <circle cx="12" cy="12" r="9" stroke="var(--line)" />
            <path d="M12 3a9 9 0 1 1-8.6 6.3" stroke="var(--tier-preferred)" />
            <circle cx="12" cy="12" r="2.2" fill="currentColor" />
          </svg>
          <span>{SITE_NAME}</span>
        </Link>
        <nav className="nav" aria-label="Views">
          {linksTo(PLACES.filter(({ rare }) => !rare))}
        </nav>
        <InBar>
          <SearchBox />
        </InBar>
        <div className="bar-tools">
          <InBar>
            <Palette />
          </InBar>
          <ThemeButton />
          <InBar>
            <Keyboard />
          </InBar>
          <InBar>
            <WalletChip />
          </InBar>
        </div>
      </header>
      <IndexBanner />
      <main className="main" id="main" tabIndex={-1}>
        {children}
      </main>
      <Foot />
      <nav className="nav-bottom" aria-label="Views, at the bottom">
        {linksTo(PLACES.filter(({ small }) => small))}
        <Menu label="More" className="more-places">
          {PLACES.filter(({ small, rare }) => !small && !rare).map(({ to, label }) => (
            <Link key={to} href={to} className="menu-item" aria-current={path === to ? "page" : undefined}>
              {label}
            </Link>
          ))}
        </Menu>
      </nav>
    </>
  );
}

/** A part of the bar. Its failure is shown over the page, because the bar has no room for it. */
const InBar = ({ children }: { children: ReactNode }) => (
  <Boundary
    instead={(failed) => (
      <div className="bar-failure">
        <FailureNote {...failed} />
      </div>
    )}
  >
    {children}
  </Boundary>
);

const NEXT_THEME = { auto: "dark", dark: "light", light: "auto" } as const;
const THEME_ICON = { auto: "auto", dark: "moon", light: "sun" } as const;

function ThemeButton() {
  const theme = useStored("theme");
  useEffect(applyTheme, [theme]);
  return (
    <IconButton
      icon={THEME_ICON[theme]}
      label={`Theme: ${theme}. Change to ${NEXT_THEME[theme]}`}
      title={`Theme: ${theme}`}
      onClick={() => store("theme", NEXT_THEME[theme])}
    />
  );
}

/** The banner shown while the data may be old or wrong. */
function IndexBanner() {
  const { data, error } = useQuery(status);
  const online = useOnline();
  const stale = indexStaleness.use();
  const said = online ? wordsOf(data?.data.chain, data ? null : error, stale) : OFFLINE;
  return said === null ? null : (
    <div className="banner" role="status">
      <Icon name="warn" />
      <span>
        <b>{said[0]}</b> {said[1]}
      </span>
    </div>
  );
}

const OFFLINE = [
  "You are offline.",
  "What you see is what was loaded before; it is loaded again by itself when the connection is back.",
] as const;

const isUnreachable = (error: Error) => error instanceof Problem && error.status === 0;

type Chain = { indexed: number | null; lagSeconds: number | null };

function wordsOf(chain: Chain | undefined, away: Error | null, stale: string | null): [string, string] | null {
  if (away) return [isUnreachable(away) ? "No connection." : "The service does not tell its state.", away.message];
  if (stale !== null)
    return ["The index is being rebuilt.", `What you see may be wrong in places until it is done. (${stale})`];
  if (!chain) return null;
  if (chain.indexed === null) return ["The first index is being built.", "Agents appear when it is complete."];
  if (chain.lagSeconds !== null && chain.lagSeconds > LATE_SECONDS)
    return [
      "The index is behind the chain.",
      `What you see is about ${count(Math.max(1, Math.round(chain.lagSeconds / 60)))} min old.`,
    ];
  return null;
}

function Foot() {
  const { data, error } = useQuery(status);
  const online = useOnline();
  const chain = data?.data.chain;
  const late = !chain?.synced || (chain.lagSeconds ?? 0) > LATE_SECONDS;
  const state = error || !online ? "away" : !chain ? "" : late ? "late" : "live";
  return (
    <footer className="foot">
      <Link href="/status" className="state">
        <span className="dot" data-state={state} />
        {error || !online
          ? !error || isUnreachable(error)
            ? "No connection"
            : "State not known"
          : chain?.indexed != null
            ? `${late ? "Catching up" : "Live"} · block ${count(chain.indexed)}`
            : "Connecting"}
      </Link>
      <Link className="push" href="/score">
        How the score is made
      </Link>
      <Link href="/docs">API reference</Link>
      <a href="/api/v2/openapi.json">OpenAPI</a>
      <span>Base 8453</span>
    </footer>
  );
}

/** Milliseconds a view may take to show its heading. */
const TIMEOUT_MS = 5_000;

/** @returns whether nothing is left to do */
function arrive(main: HTMLElement): boolean {
  // While a view is loaded the one before is still there, hidden.
  const heading = [...main.querySelectorAll("h1")].find((one) => one.checkVisibility());
  if (!heading) return false;
  // A view may have chosen a place of its own, or the link is still there; and an open dialog keeps the keyboard.
  const held = document.activeElement;
  if ((main.contains(held) && held!.checkVisibility()) || document.querySelector("dialog[open]")) return true;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return document.activeElement === heading;
}

function useArrival(): void {
  const [path] = useLocation();
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    const main = document.getElementById("main")!;
    if (arrive(main)) return;
    const watch = new MutationObserver(() => {
      if (arrive(main)) stop();
    });
    const late = setTimeout(() => stop(), TIMEOUT_MS);
    const stop = () => {
      watch.disconnect();
      clearTimeout(late);
    };
    watch.observe(main, { childList: true, subtree: true });
    return stop;
  }, [path]);
}

const Account = dialogOnDemand(() => import("../wallet/account.tsx"));

function WalletChip() {
  const wallet = useWallet();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="button wallet-chip"
        aria-label={wallet ? `Wallet ${short(wallet.address)}` : "Connect wallet"}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {wallet ? <Sigil seed={wallet.address} score={null} size={20} /> : <Icon name="wallet" />}
        <span>{wallet ? short(wallet.address) : "Connect wallet"}</span>
      </button>
      {open && <Account close={() => setOpen(false)} />}
    </>
  );
}

const PaletteList = dialogOnDemand(() => import("./palette-list.tsx"));

function Palette() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      // Another dialog has the keys until it is closed.
      if (document.querySelector("dialog[open]:not(.palette)")) return;
      event.preventDefault();
      setOpen((is) => !is);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <IconButton
        icon="command"
        className="wide-only"
        label="Search and commands"
        title="Ctrl K"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      />
      {open && <PaletteList close={() => setOpen(false)} />}
    </>
  );
}
