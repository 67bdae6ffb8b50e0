// The index in its thread: the only writer of analysis folders, and what is loaded of them for searching.
import { actor } from '../../runtime/actor.ts';
import type { Log } from '../../runtime/log.ts';
import { indexContract } from './contract.ts';
import { facetHandlers } from './facets/handlers.ts';
import { FacetTables } from './facets/tables.ts';
import { IndexFolders } from './folders.ts';
import { libraryHandlers } from './library/handlers.ts';
import { nameHandlers } from './names/handlers.ts';
import { OpenLoads, OpenStages } from './numbered-work.ts';
import { OpenClusterings, type PeopleHandlerParts, peopleHandlers } from './people/handlers.ts';
import { type ClusteringsOf, PeopleIndex } from './people/people-index.ts';
import { sightingHandlers } from './person-sightings/handlers.ts';
import { Following, OneFolder, replicaHandlers } from './replica/handlers.ts';
import { resultHandlers } from './results/handlers.ts';
import { soundHandlers } from './sounds/handlers.ts';
import { peakHandlers, spanHandlers, storeHandlers } from './store/handlers.ts';
import type { FaceStage } from './store/people/face-stage.ts';
import type { OpenComparison } from './store/people/open-comparison.ts';
import { RootsFile } from './store/roots-file.ts';
import type { VectorStage } from './store/stage.ts';
import type { Store, StoreOptions } from './store/store.ts';
import type { SummaryStage } from './store/summaries/summary-stage.ts';
import type { WriterOptions } from './store/writer.ts';
import { summaryHandlers } from './summaries/handlers.ts';
import { SummaryTexts } from './summaries/summary-texts.ts';
import { summaryInputHandlers } from './summary-inputs/handlers.ts';
import { TextCache } from './text/text-cache.ts';
import { thingHandlers } from './things/handlers.ts';
import { type TranscriptParts, transcriptHandlers } from './transcripts/handlers.ts';
import { TranscriptIndex } from './transcripts/transcript-index.ts';
import { visualHandlers } from './visual/handlers.ts';
import { Passes } from './visual/passes.ts';
import { VisualIndex } from './visual/visual-index.ts';
import { type VoiceParts, type VoiceSearch, voiceHandlers } from './voices/handlers.ts';
import { writtenHandlers } from './written/handlers.ts';
import { WrittenTexts } from './written/written-texts.ts';

/** All optional; tests make segments and steps small and hand in a disk that fills up. */
export interface IndexSettings extends WriterOptions {
  /** The file of the roots of the home folder. */
  readonly rootsFile?: string;
  readonly segmentBytes?: number;
  /** Clusterings of a folder; tests pass their own. */
  readonly clusterings?: ClusteringsOf;
  /** Bytes of faces read in one step of a beginning clustering. */
  readonly clusteringBytes?: number;
}

export const definition = actor<typeof indexContract, IndexSettings | undefined>({
  contract: indexContract,
  create: ({ log, settings }) => {
    const clusteringsOf = settings?.clusterings ?? ((store: Store) => store.people);
    const tables = new FacetTables(log, clusteringsOf);
    const visual = new VisualIndex(log, settings?.segmentBytes);
    const transcripts = new TranscriptIndex(log);
    const people = new PeopleIndex(log, clusteringsOf);
    const summaryTexts = new TextCache(log, 'Summaries', (store) => new SummaryTexts(store));
    const written = new TextCache(log, 'Printed words', (store) => new WrittenTexts(store));
    const loaded = { visual, transcripts, people, summaryTexts, written };
    const { options, ...applying } = opening(settings, log);
    const folders = new IndexFolders(options, {
      reopened: (store) => tables.forget(store),
      lost: (store) => {
        for (const cache of Object.values(loaded)) cache.forget(store);
      },
    });
    const open = openWork();
    const { clusteringBytes } = settings ?? {};
    const passes = new Passes(folders);
    const parts = { folders, tables, passes, ...loaded, ...open, clusteringBytes, ...applying };
    const handlers = {
      ...storeHandlers(parts),
      ...spanHandlers(parts),
      ...visualHandlers(parts),
      ...transcriptHandlers(parts),
      ...voiceHandlers(parts),
      ...resultHandlers(parts),
      ...writtenHandlers(parts),
      ...thingHandlers(parts),
      ...soundHandlers(parts),
      ...facetHandlers(parts),
      ...libraryHandlers(parts),
      ...peopleHandlers(parts),
      ...sightingHandlers(parts),
      ...nameHandlers(parts),
      ...peakHandlers(parts),
      ...summaryHandlers(parts),
      ...summaryInputHandlers(parts),
    };
    const oneFolder = new OneFolder();
    const small = smallHandlers({ ...parts, folders: oneFolder as unknown as IndexFolders });
    return {
      handlers: { ...handlers, ...replicaHandlers({ ...parts, oneFolder }, handlers, small) },
      close: async () => {
        for (const cache of Object.values(loaded)) cache.drop();
        for (const work of Object.values(open)) work.clear();
        await folders.close();
      },
    };
  },
});

/** Handlers of small messages, among them those of `smallNames`. */
function smallHandlers(parts: TranscriptParts & VoiceParts & PeopleHandlerParts) {
  return {
    ...transcriptHandlers(parts),
    ...voiceHandlers(parts),
    ...libraryHandlers(parts),
    ...peopleHandlers(parts),
  };
}

/** How folders are opened. What is stored while a change of a log is applied has the time of the change. */
function opening(settings: IndexSettings | undefined, log: Log) {
  const file = settings?.rootsFile === undefined ? null : new RootsFile(settings.rootsFile);
  const roots = file && (() => file.read());
  const following = new Following();
  const options: StoreOptions = {
    warn: (message, fields) => log.warn(message, fields),
    ...settings,
    now: () => following.at ?? (settings?.now ?? Date.now)(),
    newRandom: () => following.bytes(6).toString('hex'),
    following: () => following.at !== null,
    ...(roots && { roots }),
  };
  return { following, roots, options };
}

/** Work over several turns, by the numbers that callers use. */
function openWork() {
  return {
    stages: new OpenStages<VectorStage>(),
    faceStages: new OpenStages<FaceStage>(),
    summaryStages: new OpenStages<SummaryStage>(),
    clusterings: new OpenClusterings(),
    comparisons: new OpenLoads<OpenComparison>(),
    voiceSearches: new OpenLoads<VoiceSearch>(),
  };
}
