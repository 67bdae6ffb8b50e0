// The index in its thread: the only writer of analysis folders, and what is loaded of them for searching.
import { actor } from '../../runtime/actor.ts';
import { indexContract } from './contract.ts';
import { facetHandlers } from './facets/handlers.ts';
import { FacetTables } from './facets/tables.ts';
import { Folders } from './folders.ts';
import { libraryHandlers } from './library/handlers.ts';
import { OpenStages } from './open-stages.ts';
import type { ClusteringsOf } from './people/load.ts';
import type { Clusterings } from './people/loaded.ts';
import { peopleSearchHandlers } from './people/loaded-handlers.ts';
import { PeopleIndex } from './people/people-index.ts';
import { spanHandlers } from './spans/handlers.ts';
import { storeHandlers } from './store/handlers.ts';
import type { Stage } from './store/stage.ts';
import type { WriterOptions } from './store/writer.ts';
import { transcriptHandlers } from './transcripts/handlers.ts';
import { TranscriptIndex } from './transcripts/transcript-index.ts';
import { visualHandlers } from './visual/handlers.ts';
import { VisualIndex } from './visual/visual-index.ts';

/** All optional; tests make segments and packs small and hand in a disk that fills up. */
export interface IndexSettings extends WriterOptions {
  readonly segmentBytes?: number;
  /** The number before the first stage. */
  readonly firstStage?: number;
  /** What a folder holds of face clusterings. */
  readonly clusterings?: ClusteringsOf;
}

/** Nothing is stored of faces. */
const none: Clusterings = { clusterings: () => [], version: () => null, readClusters: () => null };

export const definition = actor<typeof indexContract, IndexSettings | undefined>({
  contract: indexContract,
  create: ({ log, settings }) => {
    const warn: WriterOptions['warn'] = (message, fields) => log.warn(message, fields);
    const clusterings = settings?.clusterings ?? (() => none);
    const tables = new FacetTables(log, clusterings);
    const visual = new VisualIndex(log, settings?.segmentBytes);
    const transcripts = new TranscriptIndex(log);
    const people = new PeopleIndex(log, clusterings);
    const folders = new Folders(
      { warn, ...settings },
      {
        reopened: (store) => tables.forget(store),
        lost: (store) => {
          visual.forget(store);
          transcripts.forget(store);
          people.forget(store);
        },
      },
    );
    const stages = new OpenStages<Stage>(settings?.firstStage);
    const parts = { folders, tables, visual, transcripts, people, stages };
    return {
      handlers: {
        ...storeHandlers(parts),
        ...spanHandlers(parts),
        ...visualHandlers(parts),
        ...transcriptHandlers(parts),
        ...facetHandlers(parts),
        ...libraryHandlers(parts),
        ...peopleSearchHandlers(parts),
      },
      close: async () => {
        visual.drop();
        transcripts.drop();
        people.drop();
        stages.clear();
        await folders.close();
      },
    };
  },
});
