import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexContract } from '../../../actors/index/contract.ts';
import { facetMessages } from '../../../actors/index/facets/contract.ts';
import { libraryMessages } from '../../../actors/index/library/contract.ts';
import { nameMessages } from '../../../actors/index/names/contract.ts';
import { peopleMessages } from '../../../actors/index/people/contract.ts';
import { sightingMessages } from '../../../actors/index/person-sightings/contract.ts';
import { replicaMessages } from '../../../actors/index/replica/contract.ts';
import { resultMessages } from '../../../actors/index/results/contract.ts';
import { soundMessages } from '../../../actors/index/sounds/contract.ts';
import { peakMessages, spanMessages, storeMessages } from '../../../actors/index/store/contract.ts';
import { summaryMessages } from '../../../actors/index/summaries/contract.ts';
import { summaryInputMessages } from '../../../actors/index/summary-inputs/contract.ts';
import { thingMessages } from '../../../actors/index/things/contract.ts';
import { transcriptMessages } from '../../../actors/index/transcripts/contract.ts';
import { visualMessages } from '../../../actors/index/visual/contract.ts';
import { voiceMessages } from '../../../actors/index/voices/contract.ts';
import { writtenMessages } from '../../../actors/index/written/contract.ts';

test('every message belongs to one part of the index', () => {
  const parts = [
    storeMessages,
    spanMessages,
    visualMessages,
    transcriptMessages,
    voiceMessages,
    thingMessages,
    soundMessages,
    nameMessages,
    writtenMessages,
    resultMessages,
    facetMessages,
    libraryMessages,
    peopleMessages,
    sightingMessages,
    peakMessages,
    summaryMessages,
    summaryInputMessages,
    replicaMessages,
  ];
  const names = parts.flatMap((messages) => Object.keys(messages));
  assert.deepEqual([...new Set(names)], names);
  assert.deepEqual(Object.keys(indexContract.messages).sort(), names.sort());
});
