// Everything that is seen of a service from outside, in one session: see test/golden.ts for how it is
// compared and written.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Method } from '../../http/route.ts';
import { createRouter } from '../../http/router.ts';
import { routes } from '../../http/routes.ts';
import { assertGolden, goldenJson } from '../golden.ts';
import { SLOW_MS } from './command-line.ts';
import { type Session, startSession } from './session/session.ts';
import { analysis, refusals } from './session/topics/analysis.ts';
import { assistants } from './session/topics/assistants.ts';
import { clips, sidecars, timelines, transcripts } from './session/topics/exports.ts';
import { corrections, faces } from './session/topics/faces.ts';
import { atTheEnd, frontDoor, sessions } from './session/topics/front-door.ts';
import {
  library,
  lists,
  roots,
  savedSearches,
  transfer,
  watchFolders,
  webhooks,
} from './session/topics/keeping.ts';
import { links, media, thumbnails } from './session/topics/media.ts';
import { models } from './session/topics/models.ts';
import { facets, loading, otherSearches, visualSearches } from './session/topics/searching.ts';
import { speakers, speech } from './session/topics/speech.ts';
import { summaries } from './session/topics/summaries.ts';

/** In the order of the session: what comes later builds on what came before. */
const topics: Readonly<Record<string, (session: Session) => Promise<void>>> = {
  'front-door': frontDoor,
  sessions,
  models,
  refusals,
  analysis,
  media,
  thumbnails,
  loading,
  'visual-searches': visualSearches,
  'other-searches': otherSearches,
  facets,
  speech,
  speakers,
  assistants,
  faces,
  corrections,
  timelines,
  sidecars,
  summaries,
  links,
  clips,
  transcripts,
  lists,
  roots,
  'saved-searches': savedSearches,
  webhooks,
  'watch-folders': watchFolders,
  library,
  transfer,
  'at-the-end': atTheEnd,
};

test('a session with the service is as it was', { timeout: 2 * SLOW_MS }, async (t) => {
  const session = await startSession(t);
  for (const [name, topic] of Object.entries(topics)) {
    session.begin(name);
    await topic(session);
  }
  const texts = [...session.topics].map(([name, records]) => [`${name}.json`, goldenJson(records)]);
  assertGolden('session', Object.fromEntries(texts));
  const find = createRouter(routes);
  const asked = new Set(
    [...session.asked].map((text) => {
      const [method = '', path = ''] = text.split(' ');
      const found = find(method as Method, path);
      return found && 'route' in found ? found.route.id : text;
    }),
  );
  const missing = routes.filter(({ id }) => !asked.has(id)).map(({ id }) => id);
  assert.deepEqual(
    missing,
    [],
    'every operation is asked; its steps belong into test/system/session/topics/',
  );
});
