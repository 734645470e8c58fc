/** A latch between those who have news and a loop that sleeps: news during a round are granted by one more round. */

export class Latch {
  #notified = false;
  #end: (() => void) | undefined;

  /** Ends the current sleep, or the next one at once. */
  notify(): void {
    this.#notified = true;
    this.#end?.();
  }

  /** Sleeps until rung, at most `ms` milliseconds. */
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
