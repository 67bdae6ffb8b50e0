// What the player plays, as its parts see it: a video or audio element, or a stand-in where the browser cannot play the
// file. Its time changes with every frame, so it is no state of components: who shows it listens.
import { frameAt, lastFrame, middleOf, shuttled, usualRate } from './frames.ts';

/** The part of a media element that is used. */
export interface Playable {
  currentTime: number;
  playbackRate: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly seeking: boolean;
  play(): Promise<void> | void;
  pause(): void;
}

export interface Transport {
  /** Seconds from the start of the film. */
  readonly seconds: number;
  /** 0: stopped; negative: backward. */
  readonly speed: number;
  seek(seconds: number): void;
  /** Shows frame n + `frames`, stopped. */
  step(frames: number): void;
  toggle(): void;
  stop(): void;
  /** J and L. */
  shuttle(direction: 1 | -1): void;
  /** Another source, at the same place. `rate`: frames a second, 0 for sound. */
  attach(playable: Playable | null, rate: number): void;
  /** Called with every change of time or speed. Answers the function that ends it. */
  listen(listener: () => void): () => void;
  close(): void;
}

export function createTransport(start: number): Transport {
  return new PlayerTransport(start);
}

class PlayerTransport implements Transport {
  #playable: Playable | null = null;
  /** 0 until it is known: a time is not brought to a frame of another film's rate. */
  #rate = 0;
  #seconds: number;
  #speed = 0;
  /** Where a person asked to be, as long as nothing has moved from there: another source goes to just this. */
  #wish: number | null;
  /** Where it is being sent, until it is there. */
  #target: number | null = null;
  #timer = 0;
  #last = 0;
  readonly #listeners = new Set<() => void>();

  constructor(start: number) {
    this.#seconds = start;
    this.#wish = start;
    this.#timer = requestAnimationFrame(this.#tick);
  }

  get seconds(): number {
    return this.#target ?? this.#seconds;
  }

  get speed(): number {
    return this.#speed;
  }

  attach(playable: Playable | null, rate: number): void {
    const at = this.#wish ?? this.seconds;
    this.#playable = playable;
    this.#rate = rate;
    this.#speed = 0;
    if (playable) this.#send(this.#exact(at));
  }

  seek(seconds: number): void {
    const end = this.#playable?.duration;
    const most = end !== undefined && Number.isFinite(end) ? end : Number.POSITIVE_INFINITY;
    this.#wish = Math.max(0, Math.min(seconds, most));
    this.#send(this.#exact(this.#wish));
  }

  step(frames: number): void {
    this.stop();
    this.#wish = null;
    const end = this.#playable?.duration ?? Number.POSITIVE_INFINITY;
    const rate = this.#rate > 0 ? this.#rate : usualRate;
    const last = Number.isFinite(end) ? lastFrame(end, rate) : Number.POSITIVE_INFINITY;
    const frame = frameAt(this.seconds, rate) + frames;
    this.#send(middleOf(Math.max(0, Math.min(frame, last)), rate));
  }

  toggle(): void {
    if (this.#speed !== 0) this.stop();
    else this.#run(1);
  }

  stop(): void {
    this.#playable?.pause();
    this.#setSpeed(0);
  }

  shuttle(direction: 1 | -1): void {
    this.#run(shuttled(this.#speed, direction));
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    cancelAnimationFrame(this.#timer);
    this.#playable?.pause();
    this.#listeners.clear();
  }

  #run(speed: number): void {
    const playable = this.#playable;
    if (!playable) return;
    this.#wish = null;
    // At the end it begins anew, as players do.
    if (speed > 0 && playable.currentTime >= playable.duration - 0.05) this.#send(0);
    this.#setSpeed(speed);
    if (speed < 0) {
      // No browser plays backward: frames are shown one after the other, as fast as they come.
      playable.pause();
      this.#last = performance.now();
      return;
    }
    playable.playbackRate = speed;
    Promise.resolve(playable.play()).catch(() => this.#setSpeed(0));
  }

  #send(seconds: number): void {
    this.#target = seconds;
    if (this.#playable) this.#playable.currentTime = seconds;
    else this.#seconds = seconds;
    this.#tell();
  }

  /** The middle of the frame that is meant; sound has none. */
  #exact(seconds: number): number {
    return this.#rate > 0 ? middleOf(frameAt(seconds, this.#rate), this.#rate) : seconds;
  }

  #setSpeed(speed: number): void {
    if (speed === this.#speed) return;
    this.#speed = speed;
    this.#tell();
  }

  readonly #tick = (now: number): void => {
    this.#timer = requestAnimationFrame(this.#tick);
    const playable = this.#playable;
    if (!playable) return;
    if (this.#target !== null && !playable.seeking) this.#target = null;
    if (this.#speed < 0) this.#goBack(now, playable);
    // Ended, or stopped by the browser: another tab, a headset.
    if (this.#speed > 0 && playable.paused && !playable.seeking) this.#setSpeed(0);
    if (playable.currentTime === this.#seconds) return;
    this.#seconds = playable.currentTime;
    this.#tell();
  };

  #goBack(now: number, playable: Playable): void {
    if (playable.seeking) return;
    const seconds = Math.max(0, playable.currentTime + (this.#speed * (now - this.#last)) / 1000);
    if (this.#exact(seconds) === this.#exact(playable.currentTime)) return;
    this.#last = now;
    this.#send(this.#exact(seconds));
    if (seconds === 0) this.#setSpeed(0);
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
