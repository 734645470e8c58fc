/** A sleep that can be ended early. */

export class InterruptibleSleep {
  #interrupted = false;
  #end = () => {};

  /** Ends the running sleep; while there is none, the next one ends at once. */
  interrupt(): void {
    this.#interrupted = true;
    this.#end();
  }

  async sleep(ms: number): Promise<void> {
    if (!this.#interrupted)
      await new Promise<void>((done) => {
        const timer = setTimeout(done, ms);
        this.#end = () => {
          clearTimeout(timer);
          done();
        };
      });
    this.#interrupted = false;
  }
}
