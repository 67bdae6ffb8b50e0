// Which voices of LibriSpeech train-clean-100 are only measured, and which may be fitted to. Nothing is
// trained, chosen or tuned on the held ones.

const step = 4;
const heldCount = 62;

export interface Split<T> {
  readonly held: T[];
  readonly fit: T[];
  /**
   * Voices of `fit` that a training with `--hold 62 --choose` leaves out: settings are chosen on them with
   * its model.
   */
  readonly choose: T[];
}

/** Every fourth name in the order of strings is held, 62 in all; the order of `voices` does not matter. */
export function splitVoices<T extends { readonly name: string }>(voices: readonly T[]): Split<T> {
  const sorted = [...voices].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const isHeld = (at: number) => at % step === 0 && at / step < heldCount;
  const fit = sorted.filter((_, at) => !isHeld(at));
  return { held: sorted.filter((_, at) => isHeld(at)), fit, choose: fit.filter((_, at) => at % 3 === 1) };
}
