// Sends the message of a load until it is done; searches come in between.

interface Step {
  readonly done: boolean;
  readonly load: number;
}

/** Answers the last step. `throwIfSuperseded` is asked after each of them. */
export async function loadInSteps<S extends Step>(
  step: (load: number | null) => Promise<S>,
  throwIfSuperseded: () => void,
): Promise<S> {
  for (let load: number | null = null; ; ) {
    const answer: S = await step(load);
    throwIfSuperseded();
    if (answer.done) return answer;
    load = answer.load;
  }
}
