// How much is measured. `npm run bench -- --quick` takes sizes of a few seconds: its numbers say nothing, but
// a bench that has stopped working is seen.
const variable = 'FRAMEHOUND_BENCH_QUICK';

/** For this process and those that it starts. */
export function takeQuickSizes(): void {
  process.env[variable] = '1';
}

export function isQuick(): boolean {
  return process.env[variable] === '1';
}

/** The usual size of a measurement, or that of quick runs. */
export function sized<T>(usual: T, quick: T): T {
  return isQuick() ? quick : usual;
}
