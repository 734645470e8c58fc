/** A wait that a notification ends. */
export class Latch {
  #notified = false;
  #end = () => {};

  /** Ends the current wait; without one, the next wait ends immediately. */
  notify(): void {
    this.#notified = true;
    this.#end();
  }

  /** Waits for a notification, at most `ms` milliseconds. */
  async wait(ms: number): Promise<void> {
    if (!this.#notified)
      await new Promise<void>((done) => {
        const timer = setTimeout(done, ms);
        this.#end = () => {
          clearTimeout(timer);
          done();
        };
      });
    this.#notified = false;
  }
}
