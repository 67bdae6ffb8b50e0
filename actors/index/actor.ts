// The index in its thread: the only writer of analysis folders, and what is loaded of them for searching.
import { actor } from '../../runtime/actor.ts';
import { indexContract } from './contract.ts';
import { facetHandlers } from './facets/handlers.ts';
import { FacetTables } from './facets/tables.ts';
import { Folders } from './folders.ts';
import { libraryHandlers } from './library/handlers.ts';
import { spanHandlers } from './spans/handlers.ts';
import { storeHandlers } from './store/handlers.ts';
import type { WriterOptions } from './store/writer.ts';
import { transcriptHandlers } from './transcripts/handlers.ts';
import { TranscriptIndex } from './transcripts/transcript-index.ts';
import { visualHandlers } from './visual/handlers.ts';
import { OpenStages } from './visual/open-stages.ts';
import { VisualIndex } from './visual/visual-index.ts';

/** All optional; tests make segments and packs small and hand in a disk that fills up. */
export interface IndexSettings extends WriterOptions {
  readonly segmentBytes?: number;
  /** The number before the first stage. */
  readonly firstStage?: number;
}

export const definition = actor<typeof indexContract, IndexSettings | undefined>({
  contract: indexContract,
  create: ({ log, settings }) => {
    const warn: WriterOptions['warn'] = (message, fields) => log.warn(message, fields);
    const tables = new FacetTables(log);
    const visual = new VisualIndex(log, settings?.segmentBytes);
    const transcripts = new TranscriptIndex(log);
    const folders = new Folders(
      { warn, ...settings },
      {
        reopened: (store) => tables.forget(store),
        lost: (store) => {
          visual.forget(store);
          transcripts.forget(store);
        },
      },
    );
    const stages = new OpenStages(settings?.firstStage);
    const parts = { folders, tables, visual, transcripts, stages };
    return {
      handlers: {
        ...storeHandlers(parts),
        ...spanHandlers(parts),
        ...visualHandlers(parts),
        ...transcriptHandlers(parts),
        ...facetHandlers(parts),
        ...libraryHandlers(parts),
      },
      close: async () => {
        visual.drop();
        transcripts.drop();
        stages.clear();
        await folders.close();
      },
    };
  },
});
