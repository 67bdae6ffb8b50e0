// The index stores results of analysis on disk, holds the vectors and transcripts of loaded media in memory,
// and ranks them. One thread owns the store for writing. Each part declares its own messages, which are
// combined into one actor here.
import { contract } from '../../runtime/contract.ts';
import { facetMessages } from './facets/contract.ts';
import { libraryMessages } from './library/contract.ts';
import { nameMessages } from './names/contract.ts';
import { peopleMessages } from './people/contract.ts';
import { sightingMessages } from './person-sightings/contract.ts';
import { replicaMessages } from './replica/contract.ts';
import { resultMessages } from './results/contract.ts';
import { soundMessages } from './sounds/contract.ts';
import { peakMessages, spanMessages, storeMessages } from './store/contract.ts';
import { summaryMessages } from './summaries/contract.ts';
import { summaryInputMessages } from './summary-inputs/contract.ts';
import { thingMessages } from './things/contract.ts';
import { transcriptMessages } from './transcripts/contract.ts';
import { visualMessages } from './visual/contract.ts';
import { voiceMessages } from './voices/contract.ts';
import { writtenMessages } from './written/contract.ts';

export const indexContract = contract('index', {
  ...storeMessages,
  ...spanMessages,
  ...visualMessages,
  ...transcriptMessages,
  ...voiceMessages,
  ...resultMessages,
  ...writtenMessages,
  ...thingMessages,
  ...soundMessages,
  ...facetMessages,
  ...libraryMessages,
  ...peopleMessages,
  ...sightingMessages,
  ...nameMessages,
  ...peakMessages,
  ...summaryMessages,
  ...summaryInputMessages,
  ...replicaMessages,
});
