/** A latch on which a loop waits. A notification during a round causes one more round. */

export class Latch {
  #notified = false;
  #end: (() => void) | undefined;

  /** Ends the current wait; without one, the next wait ends immediately. */
  notify(): void {
    this.#notified = true;
    this.#end?.();
  }

  /** Waits for a notification, at most `ms` milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#notified) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((done) => {
        this.#end = done;
        timer = setTimeout(done, ms);
      });
      clearTimeout(timer);
      this.#end = undefined;
    }
    this.#notified = false;
  }
}
