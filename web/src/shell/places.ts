/** The views one can go to, with the key that leads there after `g`. */
export const PLACES = [
  { to: "/", label: "Directory", key: "h" },
  { to: "/leaderboard", label: "Leaderboard", key: "l" },
  { to: "/compare", label: "Compare", key: "c" },
  { to: "/people", label: "People", key: "p" },
  { to: "/groups", label: "Groups", key: "m" },
  { to: "/mint", label: "Register", key: "r" },
  { to: "/status", label: "Status", key: "s" },
] as const;
