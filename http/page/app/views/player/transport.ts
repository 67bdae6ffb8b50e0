// Where the player is and how fast it goes, whatever it plays. Its time changes with every frame, so it is no
// state of components: who shows it listens.

import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import {
  evenFrames,
  type FilmFrames,
  frameBeside,
  rangeAt,
  type SecondsRange,
  shuttled,
  usualRate,
} from './frames.ts';

export interface Transport {
  /** Seconds from the start of the film. */
  readonly seconds: number;
  /** 0: stopped; negative: backward. */
  readonly speed: number;
  seek(seconds: number): void;
  /**
   * Shows the frame that is `count` after the one that is seen, stopped. Rejects when its time cannot be had.
   */
  step(count: number): Promise<void>;
  toggle(): void;
  stop(): void;
  /** How fast it plays when it is started; at once where it plays. */
  setRate(rate: number): void;
  readonly sound: Sound;
  setSound(sound: Partial<Sound>): void;
  /** J and L. */
  shuttle(direction: 1 | -1): void;
  /** Another source, at the same place. `frames`: null for sound. */
  attach(playable: Playable | null, frames: FilmFrames | null): void;
  /** Called with every change of time or speed. Answers the function that ends it. */
  listen(listener: () => void): () => void;
  close(): void;
}

interface Sound {
  /** 0 to 1. */
  readonly volume: number;
  readonly muted: boolean;
}

const SOUND = 'framehound.sound';

/** Last settings, of any film. */
function keptSound(): Sound {
  try {
    const { volume = 1, muted = false } = JSON.parse(localStorage.getItem(SOUND) ?? '{}') as Partial<Sound>;
    return { volume: Math.max(0, Math.min(1, Number(volume) || 0)), muted: muted === true };
  } catch {
    return { volume: 1, muted: false };
  }
}

export function createTransport(start: number): Transport {
  return new PlayerTransport(start);
}

class PlayerTransport implements Transport {
  #playable: Playable | null = null;
  /** Null until they are known: a time is not brought to a frame of another film. */
  #frames: FilmFrames | null = null;
  /** Frames that are still to be gone, while their times are waited for. */
  #steps = 0;
  #seconds: number;
  #speed = 0;
  #rate = 1;
  #sound = keptSound();
  /**
   * Where a person asked to be, as long as nothing has moved from there: another source goes to just this.
   */
  #requested: number | null;
  /** Where it is being sent, until it is there. */
  #target: number | null = null;
  #timer = 0;
  #last = 0;
  readonly #listeners = new Set<() => void>();

  constructor(start: number) {
    this.#seconds = start;
    this.#requested = start;
    this.#timer = requestAnimationFrame(this.#tick);
  }

  get seconds(): number {
    return this.#target ?? this.#seconds;
  }

  get speed(): number {
    return this.#speed;
  }

  attach(playable: Playable | null, frames: FilmFrames | null): void {
    const at = this.#requested ?? this.seconds;
    const early = this.#playable ? 0 : this.#speed;
    this.#playable = playable;
    this.#frames = frames;
    this.#steps = 0;
    this.#speed = 0;
    if (!playable) return;
    Object.assign(playable, this.#sound);
    this.#send(this.#exact(at));
    if (frames?.at(at) === null) void this.#showFrame(playable, frames, at);
    if (early > 0) this.#run(early);
  }

  /** Goes to the frame that was asked for when its time is known, unless one is elsewhere by then. */
  async #showFrame(playable: Playable, frames: FilmFrames, at: number): Promise<void> {
    // The browser shows a frame without it; who steps is told why it cannot be had.
    await frames.load(at).catch(() => {});
    if (this.#playable === playable && this.#requested === at) this.#send(this.#exact(at));
  }

  seek(seconds: number): void {
    this.#steps = 0;
    this.#requested = Math.max(0, Math.min(seconds, this.#playable?.duration || Number.POSITIVE_INFINITY));
    this.#send(this.#exact(this.#requested));
  }

  async step(count: number): Promise<void> {
    this.stop();
    this.#requested = null;
    const waits = this.#steps !== 0;
    this.#steps += count;
    if (waits) return;
    try {
      await this.#takeSteps();
    } finally {
      this.#steps = 0;
    }
  }

  /** Times that are not there are waited for, once each; another source or place ends it. */
  async #takeSteps(): Promise<void> {
    for (let missing: number | null = null; this.#steps !== 0; ) {
      const frames = this.#frames ?? evenFrames(usualRate, this.#playable?.duration ?? 0);
      const target = frameBeside(frames, this.seconds, this.#steps);
      if ('frame' in target) {
        this.#steps = 0;
        this.#send(placeOfStep(target.frame, this.seconds));
        return;
      }
      if (target.missing === missing) return;
      missing = target.missing;
      await frames.load(missing);
    }
  }

  toggle(): void {
    if (this.#speed !== 0) this.stop();
    else this.#run(this.#rate);
  }

  setRate(rate: number): void {
    this.#rate = rate;
    if (this.#speed > 0) this.#run(rate);
  }

  get sound(): Sound {
    return this.#sound;
  }

  setSound(sound: Partial<Sound>): void {
    this.#sound = { ...this.#sound, ...sound };
    localStorage.setItem(SOUND, JSON.stringify(this.#sound));
    if (this.#playable) Object.assign(this.#playable, this.#sound);
    this.#tell();
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
    if (!playable) {
      // Pressed while the browser still opens the file: it plays as soon as it can.
      this.#setSpeed(Math.max(0, speed));
      return;
    }
    this.#requested = null;
    this.#steps = 0;
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

  /** Within the frame that is meant; sound has none, and of some films it is not known yet. */
  #exact(seconds: number): number {
    return withinFrame(this.#frames?.at(seconds), seconds);
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
    if (seconds === 0) this.#setSpeed(0);
    else if (isOneFrame(this.#frames, seconds, playable.currentTime)) return;
    this.#last = now;
    this.#send(this.#exact(seconds));
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

// Where a player is sent to show a frame.

/** A seek to the border of a frame often shows the previous frame, so the middle is used. */
export function middleOfFrame({ start_seconds, end_seconds }: SecondsRange): number {
  return (start_seconds + end_seconds) / 2;
}

/** Seconds that a player stays away from the borders of a frame. */
const MARGIN = 0.5;

/**
 * Like `middleOfFrame`, but near `seconds` in a long frame, because the sound continues under a still screen.
 * Without a frame `seconds` itself.
 */
export function withinFrame(frame: SecondsRange | null | undefined, seconds: number): number {
  if (!frame) return seconds;
  const { start_seconds, end_seconds } = frame;
  if (end_seconds - start_seconds <= 2 * MARGIN) return middleOfFrame(frame);
  return Math.max(start_seconds + MARGIN, Math.min(seconds, end_seconds - MARGIN));
}

/** Where a step ends: who goes no further stays where they are. */
export function placeOfStep(frame: SecondsRange, seconds: number): number {
  const isThere = frame.start_seconds <= seconds && seconds < frame.end_seconds;
  return isThere ? withinFrame(frame, seconds) : middleOfFrame(frame);
}

/** False of sound, and where it is not known. */
function isOneFrame(frames: FilmFrames | null, a: number, b: number): boolean {
  const start = frames?.at(a)?.start_seconds;
  return start !== undefined && start === frames?.at(b)?.start_seconds;
}

// The player's medium as its parts see it: a video or audio element, or a stand-in where the browser cannot
// play the file.

/** The part of a media element that is used. */
export interface Playable {
  volume: number;
  muted: boolean;
  currentTime: number;
  playbackRate: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly seeking: boolean;
  play(): Promise<void> | void;
  pause(): void;
}

// The time of the player for components: drawn anew only when what they show of it changes.

/** Plain value that `select` derives from the transport. `basis`: other values it depends on. */
export function useTransport<T>(
  transport: Transport,
  select: (transport: Transport) => T,
  basis?: unknown,
): T {
  const [value, setValue] = useState(() => select(transport));
  useLayoutEffect(() => {
    const look = () => setValue(() => select(transport));
    look();
    return transport.listen(look);
  }, [transport, basis]);
  return value;
}

/** Whole seconds. */
export function useSecond(transport: Transport): number {
  return useTransport(transport, ({ seconds }) => Math.floor(seconds));
}

/** The range that is shown, of those that ascend; null between them. */
export function useRange<R extends SecondsRange>(transport: Transport, ranges: readonly R[]): R | null {
  const start = useTransport(
    transport,
    ({ seconds }) => rangeAt(ranges, seconds)?.start_seconds ?? null,
    ranges,
  );
  return ranges.find(({ start_seconds }) => start_seconds === start) ?? null;
}

/** Called at every frame, for what is moved by hand instead of drawn anew. */
export function useEveryFrame(transport: Transport, move: (seconds: number) => void): void {
  useEffect(() => {
    const onMove = () => move(transport.seconds);
    onMove();
    return transport.listen(onMove);
  });
}
