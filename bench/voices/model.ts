// Which speaker model is asked about the held voices.

/**
 * A file that was trained without the held voices, named by `FRAMEHOUND_BENCH_SPEAKER`; null, with a message, where none is
 * named. The starter's own may have heard every voice of train-clean-100: only test-other says something about it.
 */
export function heldModel(say: (text: string) => void): string | null {
  const named = process.env['FRAMEHOUND_BENCH_SPEAKER'];
  if (named) return named;
  say('held voices left out: FRAMEHOUND_BENCH_SPEAKER names no model that was trained without them');
  return null;
}
