/** A latch between those who have news and a loop that sleeps: news during a round are granted by one more round. */

export class Wake {
  #rung = false;
  #ring: (() => void) | undefined;

  /** Ends the current sleep, or the next one at once. */
  ring(): void {
    this.#rung = true;
    this.#ring?.();
  }

  /** Sleeps until rung, at most `ms` milliseconds. */
  async sleep(ms: number): Promise<void> {
    if (!this.#rung) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((done) => {
        this.#ring = done;
        timer = setTimeout(done, ms);
      });
      clearTimeout(timer);
      this.#ring = undefined;
    }
    this.#rung = false;
  }
}
