// Which speaker model is asked about the held voices.

export interface HeldModel {
  readonly path: string;
  /** The file of its PLDA, named by `FRAMEHOUND_BENCH_PLDA`. */
  readonly plda: string | null;
}

/**
 * A file that was trained without the held voices, named by `FRAMEHOUND_BENCH_SPEAKER`; null, with a message,
 * where none is named. The starter's own may have heard every voice of train-clean-100: only test-other says
 * something about it.
 */
export function heldModel(say: (text: string) => void): HeldModel | null {
  const path = process.env['FRAMEHOUND_BENCH_SPEAKER'];
  if (path) return { path, plda: process.env['FRAMEHOUND_BENCH_PLDA'] ?? null };
  say('held voices left out: FRAMEHOUND_BENCH_SPEAKER names no model that was trained without them');
  return null;
}
