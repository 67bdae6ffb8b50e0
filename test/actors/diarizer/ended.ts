// The answer of what pauses often, without its pauses.

export function ended<T>(steps: Generator<void, T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
}
