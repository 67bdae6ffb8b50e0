// The text of one window, put together of its decodings: where the model does not reach the end in one, because it has no
// positions left or began a phrase that it did not finish, the rest of the sound is decoded by itself.
import { melRate } from '../../acoustics/mel.ts';
import type { SpeechWindow, TextPiece, WindowTranscript } from '../family.ts';
import { type Hypothesis, isSilence, repeatsItself } from './fallback.ts';
import { phrasesOf, resumptionOf } from './phrases.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Less speech than this is the end of a word that is written already. */
const LEAST_SPEECH = 0.25 * melRate;

export class WindowText {
  readonly language: string | null;
  readonly #window: SpeechWindow;
  readonly #vocabulary: Vocabulary;
  #left: number;
  /** First sample that is not decoded yet; null when the text is complete. */
  #from: number | null = 0;
  readonly #pieces: TextPiece[] = [];
  #noSpeech = 0;
  #tokens = 0;
  #logProbability = 0;

  /** `limit`: the most tokens of all its decodings. */
  constructor(window: SpeechWindow, language: string | null, limit: number, vocabulary: Vocabulary) {
    this.#window = window;
    this.language = language;
    this.#left = limit;
    this.#vocabulary = vocabulary;
  }

  get isComplete(): boolean {
    return this.#from === null;
  }

  /** The sound that is to be decoded next. *A view.* */
  get rest(): Float32Array {
    return this.#window.samples.subarray(this.#from ?? this.#window.samples.length);
  }

  /** The most tokens of its text. */
  get limit(): number {
    return this.#left;
  }

  /** `hypothesis`: the text of `rest`. */
  add(hypothesis: Hypothesis): void {
    const from = this.#from ?? 0;
    this.#from = null;
    // What the model takes for silence behind a text is none of it.
    if (from > 0 && isSilence(hypothesis)) return;
    const { tokens, ended, meanLogProbability, noSpeech } = hypothesis;
    this.#left -= tokens.length;
    const resumption = resumptionOf(tokens, ended, this.#vocabulary);
    const next = from + Math.round((resumption?.seconds ?? 0) * melRate);
    let kept = tokens;
    // A loop that has filled the decoder knows nothing of time.
    const isLoop = resumption?.tokens === tokens.length && repeatsItself(hypothesis);
    if (resumption && !isLoop && this.#left > 0 && this.#speechAfter(next) >= LEAST_SPEECH) {
      this.#from = next;
      kept = tokens.slice(0, resumption.tokens);
    }
    const span = { from: from / melRate, to: this.#window.samples.length / melRate };
    this.#pieces.push(...phrasesOf(kept, span, this.#vocabulary));
    if (from === 0) this.#noSpeech = noSpeech;
    this.#tokens += kept.length + 1;
    this.#logProbability += meanLogProbability * (kept.length + 1);
  }

  get transcript(): WindowTranscript {
    const confidence = { noSpeech: this.#noSpeech, meanLogProbability: this.#logProbability / this.#tokens };
    return { pieces: this.#pieces, language: this.language, confidence };
  }

  /** Samples of speech from that sample on. */
  #speechAfter(from: number): number {
    return this.#window.speech.reduce(
      (sum, [start, end]) => sum + Math.max(0, end - Math.max(start, from)),
      0,
    );
  }
}
