// The speech stage: groups the files by the model that transcribes them, and transcribes those without a
// transcript. Several files are transcribed side by side, so that their windows fill the model's batches.

import { readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { engineErrors } from '../../../../runtime/errors.ts';
import { counted } from '../../../../runtime/text.ts';
import { uncertainSpeakers } from '../../../diarizer/contract.ts';
import type { MediaRecord } from '../../../index/store/contract.ts';
import { modelErrors, noModelErrors } from '../../../models/contract.ts';
import {
  chooseCaptions,
  isPartial,
  type Segment,
  speechErrors,
  speechLanguages,
  unreadSubtitles,
} from '../../../transcriber/contract.ts';
import { expectUnchanged } from '../../media/survey.ts';
import type { DecoderActor, SpeechParts } from '../parts.ts';
import type { FileWork, SpanRules, Stage, StageRun, StartedWork } from '../stage.ts';
import type { TaskContext } from '../task-context.ts';
import { anySubtitlesKey, type SpeechFacts, type SpeechJob, speechKind, subtitlesKey } from './kind.ts';
import {
  fewerSpeakers,
  identifySpeakers,
  isSame,
  languageChanges,
  markOf,
  namesOfVoices,
  otherLanguage,
  SpeechSession,
  type SpeechTools,
  type SpeechWork,
  type WrittenTranscript,
} from './session.ts';

export const speechStage: Stage<SpeechJob> = {
  kind: speechKind,
  journal: 'speech',
  reads: 'sound',
  open: async (task) => {
    const { speech } = task.parts;
    if (!speech) throw engineErrors.INTERNAL('an engine that only searches was asked to transcribe');
    return new SpeechRun(task, speech);
  },
};

/** Seconds of sound in a span: about a window of a model. */
const spanSeconds = 30;
/** Seconds of sound that may wait for a model: four windows. */
const MOST_AHEAD = 112;

/** Which model transcribes a file; null: only subtitles are read. `reason`: why there is none. */
interface Choice {
  readonly model: string | null;
  readonly reason: Error | null;
}

class SpeechRun implements StageRun<SpeechJob> {
  readonly #task: TaskContext;
  readonly #speech: SpeechParts;
  readonly #choices = new Map<string, Choice>();
  /** Why a model cannot be opened, by what was to be opened: large ones are not read anew for every file. */
  readonly #broken = new Map<string, Error>();

  constructor(task: TaskContext, speech: SpeechParts) {
    this.#task = task;
    this.#speech = speech;
  }

  /** One model after the other: two at once may not fit into memory. */
  async rounds(jobs: readonly SpeechJob[], failed: (job: SpeechJob, error: unknown) => void) {
    const rounds = new Map<string, SpeechJob[]>();
    for (const [choiceText, alike] of Map.groupBy(jobs, choiceKey)) {
      try {
        const choice = await this.#choose(alike[0]!);
        this.#choices.set(choiceText, choice);
        const key = choice.model ?? subtitlesKey;
        rounds.set(key, [...(rounds.get(key) ?? []), ...alike]);
      } catch (error) {
        for (const job of alike) failed(job, error);
      }
    }
    return [...rounds.values()];
  }

  /**
   * Without a model that can do it, subtitles are read; why there is none is told where there are no
   * subtitles either.
   */
  async #choose({ preferred, language }: SpeechJob): Promise<Choice> {
    if (preferred === subtitlesKey || preferred === anySubtitlesKey) return { model: null, reason: null };
    const { signal } = this.#task;
    try {
      const { model_key } = await this.#speech.transcriber.ask('choose', { preferred, language }, { signal });
      return { model: model_key, reason: null };
    } catch (error) {
      const isExpected =
        noModelErrors.NO_SPEECH_MODEL.is(error) || speechErrors.LANGUAGE_UNSUPPORTED.is(error);
      if (!isExpected) throw error;
      return { model: null, reason: error };
    }
  }

  #choiceOf(job: SpeechJob): Choice {
    return this.#choices.get(choiceKey(job)) ?? { model: null, reason: null };
  }

  modelOf(job: SpeechJob): string {
    return this.#choiceOf(job).model ?? subtitlesKey;
  }

  /** Subtitles may lie beside a file without sound too. */
  applies({ probe }: MediaRecord, job: SpeechJob): boolean {
    if (probe.kind === 'image') return false;
    return probe.audio.length > 0 || this.#choiceOf(job).model === null;
  }

  async isStored(media: MediaRecord, job: SpeechJob): Promise<boolean> {
    const { parts, request, signal } = this.#task;
    const { model } = this.#choiceOf(job);
    const query = { cache_dir: request.cache_dir, hashes: [media.identity.hash_str] };
    const { marks } = await parts.index.ask('transcript_marks', query, { signal });
    const [stored] = marks;
    if (!stored) return false;
    if (job.preferred === anySubtitlesKey) {
      if (stored.model_key !== subtitlesKey) return true;
    } else if (!isSame(stored, markOf({ job, model }))) return false;
    return model !== null || (await this.#isSameText(media, job, stored.sidecar));
  }

  /**
   * False when the file beside the media was edited or put there since. A copy without one keeps what is
   * stored.
   */
  async #isSameText(media: MediaRecord, job: SpeechJob, stored: string | null | undefined): Promise<boolean> {
    if (stored === undefined) return true;
    const request = besideOf(media, job);
    const { signal } = this.#task;
    const version = await this.#speech.transcriber.ask('sidecar_version', request, { signal });
    return version === null || version === stored;
  }

  /**
   * The words are kept, window by window, and what the models of voices answered. Sound is decoded again from
   * the start, and voices are counted when all of it was heard: both take little time beside the models.
   */
  spans(_: MediaRecord, job: SpeechJob): SpanRules | null {
    if (this.#choiceOf(job).model === null && !job.detect_speakers) return null;
    const { language, channels } = job;
    return { every: spanSeconds, settings: { language, channels } };
  }

  async work({ item: job, media, reader, signal, worked, spans }: FileWork<SpeechJob>): Promise<StartedWork> {
    const { parts, request } = this.#task;
    if (!reader) throw engineErrors.INTERNAL('there is nothing that reads sound');
    const work: SpeechWork = { job, media, ...this.#choiceOf(job) };
    const broken = this.#broken.get(modelsOf(work));
    if (broken) throw broken;
    let [heardSeconds, reportedSeconds] = [0, 0];
    // Sound that was heard still waits for its words.
    const ahead = work.model === null ? 0 : Math.min(MOST_AHEAD, media.probe.duration_seconds / 2);
    const onAppended = (seconds: number) => {
      heardSeconds += seconds;
      // Speech that was written before is heard again, but not reported again.
      const beyond = Math.max(reportedSeconds, heardSeconds - ahead - (spans?.taken ?? 0));
      worked(beyond - reportedSeconds);
      reportedSeconds = beyond;
    };
    const tools = {
      speech: this.#speech,
      loaded: parts.speechModel,
      index: parts.index,
      cacheDir: request.cache_dir,
      signal,
      spans,
      onAppended,
    };
    const facts = await transcribe(work, reader, tools).catch((error) => {
      if (modelErrors.MODEL_LOAD_FAILED.is(error)) this.#broken.set(modelsOf(work), error);
      throw error;
    });
    // Subtitles need no sound, and the duration in a header is not exact to the sample: the rest counts as
    // done.
    if (facts) worked(media.probe.duration_seconds - (spans?.taken ?? 0) - reportedSeconds);
    return { finished: Promise.resolve(facts && { speech: facts }) };
  }

  /** The models are used by nobody else; what they take is given back. */
  async close(): Promise<void> {
    const { log, speechModel } = this.#task.parts;
    const { transcriber, diarizer } = this.#speech;
    const tell = (error: unknown) => log.warn('a speech model cannot be freed', { error });
    await speechModel.unload(() => transcriber.ask('unload', {})).catch(tell);
    await diarizer.ask('unload', {}).catch(tell);
  }
}

/** Jobs with the same wish get the same model. */
function choiceKey({ preferred, language }: SpeechJob): string {
  return JSON.stringify([preferred, language]);
}

function modelsOf({ model, job }: SpeechWork): string {
  return `${model ?? subtitlesKey} ${job.detect_speakers}`;
}

// Makes and stores the transcript of one file: from its sound, or from the subtitles that come with it.

/**
 * Answers when the transcript is stored. On any error or cancel nothing of it stays. Null when there is
 * neither sound nor a subtitle.
 */
async function transcribe(
  work: SpeechWork,
  audioDecoder: DecoderActor,
  tools: SpeechTools,
): Promise<SpeechFacts | null> {
  const { media, model } = work;
  const { index, cacheDir: cache_dir } = tools;
  if (await isByModel(work, tools)) return null;
  const written =
    model === null
      ? await readSubtitles(work, audioDecoder, tools)
      : await transcribeSound(work, audioDecoder, tools);
  if (!written) return null;
  await expectUnchanged(media);
  const { segments, language, speakers, speech_seconds, speaker_names: said, warning } = written;
  const speaker_names = said && Object.keys(said).length > 0 ? { speaker_names: { ...said } } : {};
  const { others = [], speaker_range: range = null, speaker_model } = written;
  const uncertain = range === null ? {} : { speakers_uncertain: true, speaker_range: range };
  const languages = languageChanges(segments);
  const mark = {
    ...markOf(work),
    ...(languages && { languages }),
    ...{ spoken: language, sidecar: written.sidecar ?? null, ...speaker_names, ...uncertain },
    ...(others.length > 0 && { others: [...others] }),
  };
  // Not cancellable: what is finished stays.
  const voices = written.voices ? { voices: written.voices } : {};
  const stored = segments.map(({ language: _, ...segment }) => segment);
  await index.ask('transcribe', { cache_dir, media, mark, segments: stored, ...voices });
  const facts = { model_key: mark.model_key, language, segments: segments.length, speakers, speech_seconds };
  const unsure = range === null ? undefined : uncertainSpeakers(range, speaker_model ?? null);
  const warnings = [warning, unsure].filter((text) => text !== undefined);
  return { ...facts, ...uncertain, ...(warnings.length > 0 && { warning: warnings.join('; ') }) };
}

/** True if a model has transcribed the file and only subtitles, if any, were asked for. */
async function isByModel({ media, job }: SpeechWork, { index, cacheDir, signal }: SpeechTools) {
  if (job.preferred !== anySubtitlesKey) return false;
  const query = { cache_dir: cacheDir, hashes: [media.identity.hash_str] };
  const [stored] = (await index.ask('transcript_marks', query, { signal })).marks;
  return stored !== null && stored !== undefined && stored.model_key !== subtitlesKey;
}

async function transcribeSound(
  work: SpeechWork,
  audioDecoder: DecoderActor,
  tools: SpeechTools,
): Promise<WrittenTranscript> {
  const { ids: _, heard_instead, ...written } = await heard(work, audioDecoder, tools, null);
  const { speaker_count, language } = work.job;
  const warnings = [fewerSpeakers(speaker_count, written.speakers), otherLanguage(language, heard_instead)];
  return { ...written, ...warningOf(warnings) };
}

/**
 * The sound of the whole file. `given`: the segments whose speakers are wanted; null for what is heard.
 * `ids`: the speaker of each.
 */
async function heard(
  work: SpeechWork,
  audioDecoder: DecoderActor,
  tools: SpeechTools,
  given: readonly Segment[] | null,
) {
  const session = new SpeechSession(work, tools);
  try {
    await session.open();
    await session.appendAll(audioDecoder);
    const { segments: heardSegments, ...spoken } = await session.text();
    const { speakers: ids, count: speakers, ...voices } = await session.speakersOf(given ?? heardSegments);
    const segments = (given ?? heardSegments).map((segment, i) => ({
      ...segment,
      speaker: ids?.[i] ?? null,
    }));
    return { segments, ids, ...spoken, speakers, ...voices };
  } finally {
    await session.close();
  }
}

// The transcript of a file made of its subtitles; where they name no speakers, or not as many as were asked
// for, the sound is diarized.

/** Sidecar files before embedded tracks: somebody put them there on purpose. */
async function readSubtitles(
  work: SpeechWork,
  audioDecoder: DecoderActor,
  tools: SpeechTools,
): Promise<WrittenTranscript | null> {
  const { job, media, reason } = work;
  const read = await subtitlesOf(work, audioDecoder, tools);
  if (!read) {
    if (media.probe.audio.length === 0 || job.preferred === anySubtitlesKey) return null;
    const { path } = media;
    const row = speechErrors.LANGUAGE_UNSUPPORTED.is(reason)
      ? speechErrors.LANGUAGE_UNSUPPORTED
      : noModelErrors.NO_SPEECH_MODEL;
    const names = await readdir(dirname(path)).catch(() => []);
    const unread = unreadSubtitles(basename(path), names);
    const what =
      unread === null ? 'there are no subtitles' : `there are no subtitles that can be read: ${unread}`;
    throw row(`${path}: ${what}${reason ? `. ${reason.message}` : ''}`, { path }, reason);
  }
  const { segments, language, sidecar, others, unreadable } = read;
  const { count, names, ...named } = identifySpeakers(segments);
  const expectedCount =
    job.detect_speakers && typeof job.speaker_count === 'number' ? job.speaker_count : count;
  const mismatch =
    count > 0 && count !== expectedCount
      ? `the subtitles name ${counted(count, 'speaker')}, but ${expectedCount} were expected`
      : undefined;
  const hasSound = media.probe.audio.length > 0;
  const byVoice =
    job.detect_speakers && hasSound && segments.length > 0 && (count === 0 || mismatch !== undefined);
  if (!byVoice) {
    const speakers = count > 0 ? count : null;
    const result = { segments: named.segments, language, sidecar, others, speakers, speech_seconds: null };
    const untold = mismatch && `${mismatch}, and there is no sound to tell them apart`;
    return { ...result, speaker_names: names, ...warningOf([untold, ...unreadable]) };
  }
  // The text comes from the subtitles, the speakers from the sound; names in the subtitles go to the voices.
  const { ids, heard_instead: _, ...spoken } = await heard(work, audioDecoder, tools, segments);
  const warnings = warningOf([
    mismatch && `${mismatch}; speakers were told apart by voice`,
    fewerSpeakers(job.speaker_count, spoken.speakers),
    ...unreadable,
  ]);
  const speaker_names = namesOfVoices(segments, ids ?? []);
  return { ...spoken, language, sidecar, others, speaker_names, ...warnings };
}

function warningOf(texts: readonly (string | undefined)[]): Pick<WrittenTranscript, 'warning'> {
  const warning = texts.filter((text) => text !== undefined).join('; ');
  return warning === '' ? {} : { warning };
}

type ReadSubtitles = Required<Pick<WrittenTranscript, 'segments' | 'language' | 'sidecar' | 'others'>> & {
  /** Why subtitles in other languages cannot be read. */
  readonly unreadable: readonly string[];
};

/** The request for subtitles beside a file, which depends on the tracks inside it. */
function besideOf({ path, probe }: MediaRecord, { language }: SpeechJob) {
  const track = chooseCaptions(probe.subtitles, language);
  const has_track = track !== null && !isPartial(track.kind);
  return { media_path: path, language, has_track };
}

async function subtitlesOf(
  { job, media }: SpeechWork,
  audioDecoder: DecoderActor,
  { speech, signal }: SpeechTools,
): Promise<ReadSubtitles | null> {
  const { path, probe } = media;
  const beside = await speech.transcriber.ask('sidecar', besideOf(media, job), { signal });
  if (beside) {
    const { segments, version, others, unreadable } = beside;
    return { segments, language: beside.language ?? job.language, sidecar: version, others, unreadable };
  }
  const track = chooseCaptions(probe.subtitles, job.language);
  if (!track) return null;
  const { codec, header, cues } = await audioDecoder.ask(
    'subtitles',
    { path, stream_index: track.index },
    { signal },
  );
  const { segments } = await speech.transcriber.ask('captions', { codec, header, cues }, { signal });
  // A track in which nothing is written does not say that nobody speaks.
  if (segments.length === 0) return null;
  const language = trackLanguage(track.language) ?? job.language;
  return { segments, language, sidecar: null, others: [], unreadable: [] };
}

/** Tracks say it in three letters, `ger`; null where they do not. */
function trackLanguage(said: string | null): string | null {
  const code = said === null ? null : speechLanguages.code(said);
  return code === 'auto' ? null : code;
}
