// Runs a generator to its end and answers its result.

export function resultOf<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
