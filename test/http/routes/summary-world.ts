// An engine with three analysed films for tests of summaries over HTTP, and the calls they make.

import { join } from 'node:path';
import { definition } from '../../../actors/index/actor.ts';
import type {
  CollectionsAnswer,
  NodeAnswer,
  OverviewAnswer,
  SummariesAnswer,
  SummariesRemoved,
  SummaryMatchesAnswer,
} from '../../../actors/summarizer/stored/contract.ts';
import { createSummaries } from '../../../actors/summarizer/stored/summaries.ts';
import { routes } from '../../../http/routes.ts';
import { world } from '../../actors/analysis/fakes.ts';
import { callsOf } from '../../actors/index/summaries/trees.ts';
import { inject } from '../inject.ts';

/** What is answered when nothing is wrong. */
export interface SummaryAnswers {
  readonly list: SummariesAnswer;
  readonly search: SummaryMatchesAnswer;
  readonly overview: OverviewAnswer;
  readonly node: NodeAnswer;
  readonly collections: CollectionsAnswer;
  readonly delete: SummariesRemoved;
}

export async function summaryWorld() {
  const w = await world(
    [
      { name: 'a.mp4', frames: 40, content: 'aa' },
      { name: 'b.mp4', frames: 12, content: 'bb' },
      { name: 'c.mp4', frames: 12, content: 'cc' },
    ],
    { index: definition },
  );
  const cache_dir = join(w.folder, 'cache');
  await w.search.models.load('fake');
  await w.run();
  const { by_path } = await w.index.ask('find', { cache_dir, paths: w.paths, hashes: [] });
  return {
    w,
    cache_dir,
    paths: w.paths as [string, string, string],
    media: [by_path[0]!, by_path[1]!, by_path[2]!] as const,
    index: callsOf(w.index),
    call: inject(routes, { summaries: createSummaries(w), search: w.search }),
  };
}
