// The transcripts that are loaded for searching: of one folder, apart from its pictures. The index loads them
// in steps, so that searches come in between.
import type { Ref } from '../../../runtime/ref.ts';
import type { indexContract } from '../../index/contract.ts';
import { storeErrors } from '../../index/store/contract.ts';
import type { TranscriptLoadReport } from '../../index/transcripts/contract.ts';
import { now } from '../call-options.ts';
import { contextErrors } from '../contract.ts';
import { loadInSteps } from '../load-in-steps.ts';
import { type DataKind, LoadedData, type LoadKey } from '../loaded-data.ts';

export type TranscriptData = LoadedData<LoadKey, TranscriptLoadReport>;

export function createTranscriptData(index: Ref<typeof indexContract>, changed?: () => void): TranscriptData {
  const kind: DataKind<LoadKey, TranscriptLoadReport> = {
    same: (a, b) => a.cache_dir === b.cache_dir,
    load: ({ cache_dir }, throwIfSuperseded, signal) =>
      loadInSteps(
        (load) => index.ask('load_transcripts', { cache_dir, load }, now(signal)),
        throwIfSuperseded,
      ),
    open: ({ cache_dir }, was_there, signal) => index.ask('open', { cache_dir, was_there }, now(signal)),
    superseded: ({ cache_dir }) =>
      contextErrors.CONTEXT_CHANGED(`${cache_dir}: the transcriptions of another folder are being loaded`),
    notLoaded: ({ cache_dir }) =>
      storeErrors.NOT_LOADED(
        `The transcriptions of ${cache_dir} are not loaded; load them first (POST /analysis-data/load-transcriptions)`,
        { field: 'cache_dir' },
      ),
  };
  return new LoadedData(kind, changed);
}
