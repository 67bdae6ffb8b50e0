import assert from 'node:assert/strict';
import test from 'node:test';
import {
  jsonDocument,
  markdownDocument,
  plainDocument,
} from '../../../../actors/exporter/summary/summary-documents.ts';
import { node, read, summaryTree } from './trees.ts';

const hint = {
  limitation: 'Who speaks is not seen',
  affected_range: [3, 6] as [number, number],
  evidence_ids: [],
  suggested_follow_up: 'Listen to it.',
};
const tree = summaryTree(
  [
    read(node('0', [0, 4000], 'All of it.')),
    read(node('1', [0, 61], '1. Opening <b>credits</b> &amp; & more', { is_leaf: false })),
    read(node('1.1', [0, 30], 'A [link](x) and `code`', { level: 2 })),
    read(node('1.1.1', [0, 10], '# no heading', { level: 3, verification_hints: [hint] })),
    read(node('1.1.1.1', [0, 5], 'deep', { level: 4 })),
    read(node('2', [61, 4000], 'Two\nlines')),
  ],
  {
    told: {
      warnings: ['Words were cut off'],
      warning_count: 3,
      uncovered_ranges: [{ start_seconds: 10, end_seconds: 20.5 }],
      uncovered_range_count: 1,
      failed_node_ids: ['1.1'],
      failed_node_count: 9,
    },
  },
);

test('Markdown has chapters as headings with their times, what lies deeper as lists, and notes on quality', () => {
  assert.equal(
    markdownDocument(tree),
    [
      '# a\\_b.mp4',
      '`/footage/a_b.mp4`, summary general by extractive',
      'A short \\*film\\*.',
      '**00:00:00–01:06:40**',
      'All of it.',
      '## 00:00:00–00:01:01',
      '1\\. Opening \\<b>credits\\</b> \\&amp; & more',
      '### 00:00:00–00:00:30',
      'A \\[link\\](x) and \\`code\\`',
      '- **00:00:00–00:00:10** \\# no heading',
      '  > To check: Who speaks is not seen. Listen to it.',
      '  - **00:00:00–00:00:05** deep',
      '## 00:01:01–01:06:40',
      'Two lines',
      '## Notes',
      [
        '- Words were cut off',
        '- 2 more warnings',
        '- Not analysed: 00:00:10–00:00:20',
        '- Less detailed than requested: the text of 1.1 and 8 more',
      ].join('\n'),
      '',
    ]
      .join('\n\n')
      .replace(/\n\n$/, '\n'),
  );
});

test('a path with backticks stays one piece of code', () => {
  const odd = summaryTree([read(node('0', [0, 1], 'x'))], { media_path: '/a``b`.mp4' });
  assert.match(markdownDocument(odd), /^``` \/a``b`\.mp4 ```, summary/m);
});

test('plain text has a line for each node, indented by its level', () => {
  assert.deepEqual(plainDocument(tree).split('\n').slice(0, 7), [
    'a_b.mp4',
    '',
    'A short *film*.',
    '',
    '[00:00:00 - 01:06:40] All of it.',
    '  [00:00:00 - 00:01:01] 1. Opening <b>credits</b> &amp; & more',
    '    [00:00:00 - 00:00:30] A [link](x) and `code`',
  ]);
});

interface Whole {
  readonly node_id: string;
  readonly is_leaf: boolean;
  readonly evidence?: object;
  readonly children: readonly Whole[];
}

test('JSON has nodes within nodes, with the fields of the API, and previews of none', () => {
  const evidence = { frames: [], transcript: [], speakers: ['Ada'], people: [], attribution_hints: [] };
  const some = [...tree.nodes.slice(0, 2), { ...read(node('2', [61, 4000], 'x')), evidence }];
  const { root, ...facts } = JSON.parse(jsonDocument({ ...tree, nodes: some })) as Record<string, unknown>;
  const ids = ({ node_id, children }: Whole): unknown => [node_id, children.map(ids)];
  assert.deepEqual(ids(root as Whole), [
    '0',
    [
      ['1', []],
      ['2', []],
    ],
  ]);
  assert.equal((root as Whole).children[0]!.is_leaf, false, 'there is more below');
  assert.deepEqual((root as Whole).children[1]!.evidence, evidence);
  const { root: _, ...overview } = tree.overview;
  assert.deepEqual(facts, { ...overview, warnings: tree.warnings });
});
