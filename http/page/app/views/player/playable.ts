// What the player plays, as its parts see it: a video or audio element, or a stand-in where the browser cannot play the file.

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
