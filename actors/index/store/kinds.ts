// Every kind of result that an analysis folder holds. Lists, removals, imports, exports and clusters go
// through them; a further kind is one more value here.
import { resultKinds } from '../results/contract.ts';
import { countFrames } from '../visual/frames.ts';
import { readable } from './faults.ts';
import { type KindRecord, modelsOf, naming, type ShownResult, type StoredKind } from './kind.ts';
import { faceChangesKey, faceModelPrefix, modelPrefix } from './names.ts';
import {
  FaceModelRow,
  FaceRollRow,
  FacesRow,
  FilmSummaryRow,
  ModelUseRow,
  PictureVectorsRow,
  PreviewsRow,
  TranscriptRow,
  VoicesRow,
} from './records.ts';
import { allSummaries, summaryChangesKey } from './summaries/rows.ts';
import { readRecord, seal, type Table, type TableFields, type TableRow, unseal } from './table.ts';
import { columnsOf } from './transcripts.ts';
import { removeVoices, voicesOf } from './voices/voice-records.ts';

const shownBy =
  <F extends TableFields>(table: Table<F>, show: (row: TableRow<F>) => ShownResult) =>
  ({ environment, key }: KindRecord): ShownResult =>
    show(readRecord(environment, table, key)!);

/** Null for what an earlier version stored, which kept no time. */
const time = (stored_ms: number): number | null => stored_ms || null;

const video: StoredKind = {
  type: 'video',
  isAnalysis: true,
  records: ['visual/'],
  models: { prefix: modelPrefix, table: ModelUseRow },
  bundles: naming(PictureVectorsRow, 'visual/', ({ file, size_bytes }) => ({
    place: file,
    bytes: size_bytes,
  })),
  show: shownBy(PictureVectorsRow, ({ frame_runs, stored_ms }) => {
    return { count: countFrames(frame_runs), stored_ms: time(stored_ms) };
  }),
  // A record of the model counts the vectors of all contents.
  forget: (writes, environment, hash) => {
    const read = <F extends TableFields>(table: Table<F>, key: string): TableRow<F> | null => {
      const bytes = writes.get(key);
      return bytes === undefined ? null : readable(() => unseal(table, key, bytes, environment.file));
    };
    for (const { encoded } of modelsOf(environment, video)) {
      const key = modelPrefix + encoded;
      const [model, visual] = [read(ModelUseRow, key), read(PictureVectorsRow, `visual/${encoded}/${hash}`)];
      if (model === null || model.dimensions !== visual?.dimensions) continue;
      const rows = Math.max(0, model.rows - countFrames(visual.frame_runs));
      writes.put(key, seal(ModelUseRow, key, { ...model, rows }));
    }
  },
};

const previews: StoredKind = {
  type: 'previews',
  isAnalysis: false,
  records: ['previews/'],
  bundles: naming(PreviewsRow, 'previews/', ({ file, size_bytes }) => ({ place: file, bytes: size_bytes })),
  show: shownBy(PreviewsRow, ({ count, size_bytes }) => ({ count, stored_ms: null, bytes: size_bytes })),
};

const speech: StoredKind = {
  type: 'speech',
  isAnalysis: true,
  // The names of speakers lie apart, so that they outlive a transcript.
  records: ['transcript/', 'speakers/'],
  show: ({ environment, key }) => {
    const row = unseal(TranscriptRow, key, environment.get(key)!, environment.file, true);
    const { mark, starts_ms, speakerIds, stored_ms } = columnsOf(row);
    const { model_key, spoken, speakers_uncertain, speaker_range } = mark;
    return {
      model_key,
      count: starts_ms.length,
      stored_ms: time(stored_ms),
      speech: {
        language: spoken,
        speakers: speakerIds.length,
        ...(speakers_uncertain && { speakers_uncertain }),
        ...(speaker_range && { speaker_range }),
      },
    };
  },
};

const voices: StoredKind = {
  type: 'voices',
  isAnalysis: false,
  records: ['voices/'],
  show: shownBy(VoicesRow, (row) => {
    const here = voicesOf(row).voices.filter(({ speaker }) => speaker !== '');
    return { model_key: row.model, count: here.length, stored_ms: null };
  }),
  forget: (writes, { file }, hash) => removeVoices(writes, hash, file),
};

const faces: StoredKind = {
  type: 'faces',
  isAnalysis: true,
  records: ['faces/', 'face-facts/', 'face-places/'],
  models: { prefix: faceModelPrefix, table: FaceModelRow, shared: ['face-roll/', 'face-in/'] },
  changesKey: faceChangesKey,
  bundles: naming(FaceRollRow, 'face-roll/', ({ end }, name) => ({
    place: `people/f-${name}.faces`,
    bytes: end,
  })),
  show: shownBy(FacesRow, ({ count, stored_ms }) => ({ count, stored_ms: time(stored_ms) })),
};

const summary: StoredKind = {
  type: 'summary',
  isAnalysis: true,
  records: [allSummaries],
  isSeveral: true,
  changesKey: summaryChangesKey,
  show: shownBy(FilmSummaryRow, ({ model_key, nodes, stored_ms }) => {
    return { model_key, count: nodes, stored_ms: time(stored_ms) };
  }),
};

export const kinds: readonly StoredKind[] = [video, previews, speech, voices, faces, ...resultKinds, summary];
