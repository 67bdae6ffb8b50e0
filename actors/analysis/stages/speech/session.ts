// The sessions of one file: one of transcription, and one of diarization beside it when speakers are wanted.
import { soundRate } from '../../../decoder/contract.ts';
import type { SpeakerVoices } from '../../../diarizer/contract.ts';
import type { DetectedSpeech, Segment, WrittenWindow } from '../../../transcriber/contract.ts';
import type { Decoder } from '../parts.ts';
import type { FileSpans } from '../stage.ts';
import { speakerId } from './speaker-ids.ts';
import type { SpeechTools, SpeechWork } from './work.ts';

interface DiarizerBlock {
  readonly channel: number;
  readonly first_sample: number;
  readonly count: number;
  readonly samples: { readonly slot: number; readonly generation: number } | null;
}

export class SpeechSession {
  readonly #work: SpeechWork;
  readonly #tools: SpeechTools;
  readonly #channels: number;
  #transcription: number | null = null;
  #diarization: number | null = null;
  /** Seconds that were appended. */
  #seconds = 0;

  constructor(work: SpeechWork, tools: SpeechTools) {
    this.#work = work;
    this.#tools = tools;
    this.#channels = work.job.channels?.length ?? 1;
  }

  async open(): Promise<void> {
    const { speech, loaded, signal, spans } = this.#tools;
    const { job, model } = this.#work;
    // Asked for every file, because an actor that came back after a crash has no model; one that has it
    // answers at once.
    if (model !== null) await loaded.load(speech.transcriber, model, { signal });
    if (job.detect_speakers) await speech.diarizer.ask('load', {}, { signal });
    const channels = this.#channels;
    // Not cancellable: what was opened has to be known here, or nobody would close it.
    const request = { model_key: model, language: job.language, channels };
    const written = spans && { written: await keptWindows(spans) };
    this.#transcription = (await speech.transcriber.ask('open', { ...request, ...written })).session;
    if (!job.detect_speakers) return;
    const { session } = await speech.diarizer.ask('open', { channels, speaker_count: job.speaker_count });
    this.#diarization = session;
  }

  /** Decodes the sound of the file and appends all of it. */
  async appendAll(audioDecoder: Decoder): Promise<void> {
    const { speech, signal, onAppended } = this.#tools;
    const { job, media } = this.#work;
    const transcription = this.#transcription ?? 0;
    const request = { path: media.path, channels: job.channels };
    for await (const block of audioDecoder.feed('sound', request, { signal, credit: 2 })) {
      const { channel, first_sample, count, samples } = block;
      const slots = [samples];
      const detected = await speech.transcriber.ask(
        'append',
        { session: transcription, channel, first_sample, count, samples },
        { signal, slots },
      );
      await this.#appendToDiarizer({ channel, first_sample, count, samples, ...detected });
      const seconds = count / soundRate / this.#channels;
      this.#seconds += seconds;
      await this.#keepWhenDue();
      onAppended(seconds);
    }
    for (let channel = 0; channel < this.#channels; channel++) {
      const detected = await speech.transcriber.ask('end', { session: transcription, channel }, { signal });
      await this.#appendToDiarizer({
        channel,
        first_sample: detected.settled,
        count: 0,
        samples: null,
        ...detected,
      });
    }
  }

  /** The words so far; a span without any is kept with the next one. */
  async #keepWhenDue(): Promise<void> {
    const { speech, signal, spans } = this.#tools;
    if (!spans?.isDue(this.#seconds)) return;
    const { windows } = await speech.transcriber.ask(
      'written',
      { session: this.#transcription ?? 0 },
      { signal },
    );
    if (windows.length > 0)
      await spans.keep(this.#seconds, new TextEncoder().encode(JSON.stringify(windows)));
  }

  async #appendToDiarizer(
    block: DetectedSpeech & Omit<DiarizerBlock, 'session' | 'speech' | 'settled'>,
  ): Promise<void> {
    if (this.#diarization === null) return;
    const { speech, signal } = this.#tools;
    const slots = block.samples === null ? [] : [block.samples];
    await speech.diarizer.ask('append', { session: this.#diarization, ...block }, { signal, slots });
  }

  async text() {
    const { speech, signal } = this.#tools;
    const answer = await speech.transcriber.ask('finish', { session: this.#transcription ?? 0 }, { signal });
    this.#transcription = null;
    return answer;
  }

  async speakersOf(segments: readonly Segment[]) {
    if (this.#diarization === null) return { speakers: null, count: null, voices: null };
    const { speech, signal } = this.#tools;
    const spans = segments.map(({ start_seconds, end_seconds }): [number, number] => [
      start_seconds,
      end_seconds,
    ]);
    const request = { session: this.#diarization, spans };
    const { speakers, voices } = await speech.diarizer.ask('finish', request, { signal });
    this.#diarization = null;
    return numbered(speakers, voices);
  }

  /** What is finished is closed already. */
  async close(): Promise<void> {
    const { transcriber, diarizer } = this.#tools.speech;
    // An actor that is down keeps nothing; the error that led here is the one to tell.
    const ignore = () => {};
    if (this.#transcription !== null)
      await transcriber.ask('drop', { session: this.#transcription }).catch(ignore);
    if (this.#diarization !== null) await diarizer.ask('drop', { session: this.#diarization }).catch(ignore);
  }
}

/** The windows of all spans. The position of the last one is where the work goes on. */
async function keptWindows(spans: FileSpans): Promise<WrittenWindow[]> {
  const kept = await spans.all();
  spans.takenUp(kept.at(-1)?.position ?? 0);
  // Written here under a checksum.
  return kept.flatMap(({ bytes }) => JSON.parse(new TextDecoder().decode(bytes)) as WrittenWindow[]);
}

/**
 * The voices that say something in the transcript, in order of appearance there: other voices may have spoken
 * between its segments.
 */
function numbered(speakers: readonly (string | null)[], voices: SpeakerVoices) {
  const ids = new Map<string, string>();
  for (const speaker of speakers) {
    if (speaker !== null && !ids.has(speaker)) {
      ids.set(speaker, speakerId(ids.size));
    }
  }
  const named = speakers.map((speaker) => (speaker === null ? null : (ids.get(speaker) ?? null)));
  return { speakers: named, count: ids.size, voices: voicesUnder(ids, voices) };
}

/** The voices under the ids of the transcript; null when there are none. */
function voicesUnder(ids: ReadonlyMap<string, string>, { model, speakers, vectors }: SpeakerVoices) {
  const kept = [...speakers.keys()].filter((at) => ids.has(speakers[at]!.speaker));
  if (kept.length === 0) return null;
  const d = vectors.length / speakers.length;
  const own = new Float32Array(kept.length * d);
  for (const [place, at] of kept.entries()) own.set(vectors.subarray(at * d, (at + 1) * d), place * d);
  const renamed = kept.map((at) => ({ ...speakers[at]!, speaker: ids.get(speakers[at]!.speaker)! }));
  return { model, speakers: renamed, vectors: own };
}
