// What does one list of pictures, words and people cost, beyond the three searches it is made of? Those have
// benches of their own: index, transcripts, people.
import { fuse, type Hit } from '../actors/search/moments/fuse.ts';
import { atOnce } from '../runtime/sync/checkpoint.ts';
import { beside, median, type Question, type Row } from './row.ts';
import { seeded } from './vectors.ts';

type Reason = { readonly kind: 'seen' | 'said' | 'person'; readonly rank: number };

const films = 100;
const seconds = 3600;

/** As the three searches answer: `count` hits each over all films. */
function lists(count: number): Hit<Reason>[][] {
  const next = seeded(3);
  const random = () => next() + 0.5;
  return (['seen', 'said', 'person'] as const).map((kind) =>
    Array.from({ length: count }, (): Hit<Reason> => {
      const hash = (0x1000 + Math.floor(random() * films)).toString(16);
      const time = Math.floor(random() * seconds);
      const start = Math.floor(time / 8) * 8;
      const end = kind === 'seen' ? time : time + 3;
      const reason = (rank: number) => ({ kind, rank });
      return {
        kind,
        hash,
        path: `/footage/${hash}.mp4`,
        time,
        start: time,
        end,
        scene: [start, start + 8],
        reason,
      };
    }),
  );
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

/** Fusing is all that moments add to the three searches, which have benches of their own. */
export const moments: Question = async (say) => {
  const rows: Row[] = [];
  for (const count of [2000, 10_000]) {
    say(`fusing three lists of ${count}`);
    const given = lists(count);
    const { fused } = await beside(
      7,
      async () => ({ fused: timed(() => atOnce(fuse(given))) }),
      async () => ({ fused: timed(() => JSON.stringify(given)) }),
    );
    rows.push({
      question: 'moments',
      name: `fusing three lists of ${count.toLocaleString('en')}`,
      value: fused.value,
      unit: 'ms',
      against: { name: 'writing them as JSON', value: fused.peer },
      ratio: fused.peer / fused.value,
      goal: { of: 'value', at: 'most', than: count === 2000 ? 60 : 300 },
    });
  }
  const found = atOnce(fuse(lists(10_000))).slice(0, 10_000);
  const answer = () => JSON.stringify(found.map(({ kinds: _, ...one }) => one));
  const times = Array.from({ length: 7 }, () => timed(answer));
  rows.push({
    ...{ question: 'moments', name: '10,000 moments as JSON', value: median(times), unit: 'ms' },
    against: { name: 'bytes', value: answer().length },
    ratio: null,
    goal: { of: 'value', at: 'most', than: 100 },
  });
  return rows;
};
