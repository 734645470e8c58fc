/** The window of requests that an upstream grants: a number per window, what is left of it, and when the next begins. */

export type RequestWindow = ReturnType<typeof requestWindow>;

/** @param limit requests of one window @param seconds length of a window, which starts with its first request */
export function requestWindow(limit: number, seconds: number) {
  let most = limit;
  let used = 0;
  let reset = 0;
  return {
    /** Counts a request. `refused`: the window was used up before it. `reset`: end of the window, Unix seconds. */
    take() {
      const now = Math.floor(Date.now() / 1000);
      if (now >= reset) {
        used = 0;
        reset = now + seconds;
      }
      const refused = used >= most;
      if (!refused) used++;
      return { limit: most, used, remaining: most - used, reset, refused };
    },
    /** Starts a new window with this limit. */
    restart(next: number) {
      most = next;
      reset = 0;
    },
  };
}
