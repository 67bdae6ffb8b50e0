// Whether summaries are being made. Visual searches wait meanwhile: both want the model that reads words.
export class Summarizing {
  #underway = 0;

  get isUnderway(): boolean {
    return this.#underway > 0;
  }

  /** Answers the function that ends it. */
  begin(): () => void {
    this.#underway++;
    let isOver = false;
    return () => {
      if (!isOver) this.#underway--;
      isOver = true;
    };
  }
}
