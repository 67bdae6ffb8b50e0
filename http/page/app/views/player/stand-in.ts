// Stands in where the browser cannot play a film: keeps the time of a player, while stored previews are shown.
import type { Playable } from './playable.ts';

export function createStandIn(duration: number): Playable {
  return new StandIn(duration);
}

class StandIn implements Playable {
  readonly duration: number;
  readonly seeking = false;
  #rate = 1;
  /** Where it stood, and when, ms; no time while it is stopped. */
  #from = { seconds: 0, since: null as number | null };

  constructor(duration: number) {
    this.duration = duration;
  }

  get paused(): boolean {
    return this.#from.since === null || this.currentTime >= this.duration;
  }

  get currentTime(): number {
    const { seconds, since } = this.#from;
    const gone = since === null ? 0 : ((performance.now() - since) / 1000) * this.#rate;
    return Math.min(this.duration, seconds + gone);
  }

  set currentTime(seconds: number) {
    this.#from = { seconds, since: this.#from.since === null ? null : performance.now() };
  }

  get playbackRate(): number {
    return this.#rate;
  }

  set playbackRate(rate: number) {
    this.#from = {
      seconds: this.currentTime,
      since: this.#from.since === null ? null : performance.now(),
    };
    this.#rate = rate;
  }

  play(): void {
    this.#from = { seconds: this.currentTime, since: performance.now() };
  }

  pause(): void {
    this.#from = { seconds: this.currentTime, since: null };
  }
}
