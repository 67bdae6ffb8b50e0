// Whatever the service answers, an assistant is handed no more than it can take: the texts and pictures of
// every tool are bounded, in whole lines and valid base64.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ApiError } from '../../../http/client/error.ts';
import {
  bounded,
  listed,
  MOST_CHARACTERS,
  MOST_PICTURE_CHARACTERS,
  oneLine,
} from '../../../http/mcp/answer.ts';
import { runTool, tools } from '../../../http/mcp/protocol.ts';
import { draws } from '../../shared.ts';
import { type Answers, FILM, fakeDesk, HASH, jpeg, none } from './fake-client.ts';

/**
 * Texts that break answers: very long, many lines, halves of characters, controls, letters of several units.
 */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\n'.repeat(50), '\ud800', '\u202e\u0000\u2028', '"', 'a\r\nb', '../../x', '…'),
  fc
    .tuple(fc.constantFrom('a', '😀', 'é\n', '\udc00', ' '), fc.integer({ min: 1, max: 30_000 }))
    .map(([c, n]) => c.repeat(n)),
);
const number = fc.oneof(
  fc.double({ min: 0, max: 1e7, noNaN: true }),
  fc.constantFrom(0, -1, 1e21, Number.NaN, Number.POSITIVE_INFINITY),
);
const many = <T>(one: fc.Arbitrary<T>) => fc.array(one, { maxLength: 60 });
const count = fc.nat({ max: 100_000 });
const words = many(hostile);
const hash = fc.oneof(fc.constant(HASH), hostile);

const reason = fc.oneof(
  fc.record({ kind: fc.constant('seen'), rank: number }),
  fc.record({
    kind: fc.constant('said'),
    rank: number,
    text: hostile,
    speaker: hostile,
    speaker_name: hostile,
  }),
  fc.record({ kind: fc.constant('person'), rank: number, name: hostile }),
);
const moment = fc.record({
  moment_id: hostile,
  hash_str: hash,
  media_path: hostile,
  kind: fc.constantFrom('video', 'image', 'audio'),
  time_seconds: number,
  start_seconds: number,
  end_seconds: number,
  reasons: many(reason),
});
const segment = fc.record({
  segment_index: count,
  start_seconds: number,
  end_seconds: number,
  text: hostile,
  speaker: hostile,
  speaker_name: hostile,
  hash_str: hash,
  media_path: hostile,
});
const media = fc.record({
  media_path: fc.oneof(fc.constant(FILM), hostile),
  hash_str: hash,
  replaced: fc.boolean(),
  kind: fc.option(hostile),
  duration_seconds: fc.option(number),
  visual: many(fc.record({ model_key: hostile, frames: count })),
  transcript: fc.option(fc.record({ segments: count, speakers: count, language: fc.option(hostile) })),
  faces: many(fc.record({ faces: count })),
  summaries: count,
});
const picture = fc.oneof(
  fc.integer({ min: 4, max: 300_000 }).map(jpeg),
  fc.constant(null),
  hostile,
  fc.constantFrom('/9j/A', '/9j/A=B=', '/9j/ AAA', 'data:image/jpeg;base64,/9j/AAAA'),
);
const names = fc.dictionary(fc.constantFrom('c1', 'c2', 'c3'), hostile);
const task = fc.record({
  task_id: hostile,
  state: fc.constantFrom('running', 'stopping', 'completed', 'cancelled', 'failed', 'interrupted'),
  progress: number,
  counts: fc.record({
    files: count,
    done: count,
    failed: count,
    jobs: count,
    jobs_done: count,
    jobs_failed: count,
  }),
  request: fc.record({ types: words }),
  estimated_remaining_seconds: fc.option(number),
  error: fc.option(fc.record({ error: hostile, message: hostile })),
  results: many(
    fc.record({
      path: hostile,
      type: hostile,
      outcome: fc.constantFrom('failed', 'stored'),
      error: fc.option(fc.record({ message: hostile })),
    }),
  ),
});

/** By operation. */
const answers: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  searchMoments: fc.record({ moments: many(moment), toast_warning: hostile, warnings: words }),
  searchTranscript: fc.record({
    matches: many(segment),
    total: count,
    total_is_exact: fc.boolean(),
    toast_warning: hostile,
  }),
  transcriptionsRange: fc.record({
    media_path: fc.oneof(fc.constant(FILM), hostile),
    transcript_status: fc.constantFrom('available', 'empty', 'not_available'),
    segments: many(segment),
    truncated: fc.boolean(),
  }),
  listLibrary: fc.record({ total: count, media: many(media) }),
  mediaSeen: fc.record({
    things_from: fc.constantFrom('file', 'previews', null),
    things: many(
      fc.record({ class: hostile, measured: fc.boolean(), ranges: many(fc.tuple(number, number)) }),
    ),
    shots: many(fc.record({ size: fc.constant('wide'), start_seconds: number, end_seconds: number })),
    lines_from: fc.constant(null),
    lines: many(fc.record({ text: hostile, score: number, start_seconds: number, end_seconds: number })),
  }),
  metadataFacets: fc.record({
    facets: many(
      fc.record({
        id: hostile,
        kind: fc.constant('multi'),
        options: many(fc.record({ value: hostile, count })),
        min: hostile,
        max: hostile,
      }),
    ),
    warning: fc.option(hostile),
  }),
  thumbnails: fc.record({ thumbnails: many(fc.record({ thumbnail: picture })) }),
  faceClusters: fc.record({
    jobs: many(
      fc.record({ name: hostile, names, cluster_ids: words, num_clusters: count, media_hashes: many(hash) }),
    ),
    warning: hostile,
  }),
  appearances: fc.record({
    people: many(
      fc.record({
        cluster_id: hostile,
        name: hostile,
        media: many(
          fc.record({ hash_str: hash, media_path: hostile, ranges: many(fc.tuple(number, number)) }),
        ),
      }),
    ),
  }),
  mediaMetadata: fc.record({
    media_properties: fc.dictionary(
      fc.constantFrom(FILM, 'x'),
      fc.record({
        width: count,
        height: count,
        fps: fc.option(number),
        timecode: hostile,
        kind: fc.constantFrom('video', 'audio', 'image'),
        hash_str: hash,
      }),
    ),
  }),
  summaryOverview: fc.record({
    short_summary: hostile,
    root: fc.record({
      children: many(fc.record({ search_range: fc.tuple(count, count), text_preview: hostile })),
    }),
  }),
  listTasks: fc.record({ tasks: many(task) }),
  getTask: task,
  cancelTask: fc.record({ message: hostile }),
  resumeTask: fc.record({ message: hostile }),
  analyze: fc.record({ task_id: hostile, message: hostile }),
  listMedia: fc.record({
    total: count,
    folders: fc.constant([]),
    files: fc.constant([{ media_path: FILM }]),
  }),
  exportTimeline: fc.record({
    output_path: hostile,
    total_duration_seconds: number,
    fps: number,
    warnings: words,
  }),
  loadAnalysisData: fc.record({ media: fc.nat({ max: 9 }), transcriptions: fc.constant(0) }),
  loadTranscriptions: fc.record({ transcriptions: fc.nat({ max: 9 }) }),
};

const failure = fc
  .record({ status: fc.constantFrom(400, 401, 403, 404, 409, 500, 503), error: hostile, message: hostile })
  .map(({ status, ...body }) => new ApiError({ status, headers: new Headers() } as Response, body));

/** Arguments of every tool that reach all of its parts. */
const inputs: Readonly<Record<string, readonly object[]>> = {
  find_moments: [
    { text: 'x', limit: 20 },
    { like: `${HASH}@1`, media: ['harbour', HASH, FILM] },
  ],
  find_spoken: [
    { text: 'x', limit: 50 },
    { text: 'x', cursor: '7', speaker: 'y' },
  ],
  look: [{ moments: Array(6).fill(`${HASH}@3`), width: 512 }],
  read_transcript: [{ media: HASH }, { media: FILM, cursor: '3' }],
  describe_media: [{ media: HASH }, { media: 'harbour' }],
  list_library: [{}, { name: 'a' }, { facets: true }],
  who: [{}, { name: 'c1' }, { name: 'Bob', clustering: 'z' }],
  analyze: [{ paths: ['/media'], what: ['pictures', 'speech', 'faces', 'summary'] }],
  task: [{}, { id: 'x', wait_seconds: 3 }, { id: 'x', action: 'cancel' }, { id: 'x', action: 'resume' }],
  make_timeline: [{ clips: [{ media: HASH, in: 1, out: 2 }], output_path: '/out.xml' }],
};

test('every tool has arguments here', () => {
  assert.deepEqual(
    Object.keys(inputs),
    tools.map(({ name }) => name),
  );
});

for (const one of tools) {
  test(`no answer of ${one.name} passes its bounds`, async () => {
    const world = fc.record(
      Object.fromEntries(
        Object.entries(answers).map(([name, answer]) => [
          name,
          fc.oneof({ weight: 12, arbitrary: answer }, { weight: 1, arbitrary: failure }),
        ]),
      ),
    );
    const property = fc.asyncProperty(world, fc.constantFrom(...inputs[one.name]!), async (said, input) => {
      const fakes = Object.fromEntries(
        Object.entries(said).map(([name, answer]) => [
          name,
          () => {
            if (answer instanceof ApiError) throw answer;
            return answer;
          },
        ]),
      ) as Answers;
      const { text, pictures } = await runTool(one, structuredClone(input), fakeDesk(fakes), none);
      assert.ok(
        text.length > 0 && text.length <= (one.name === 'read_transcript' ? 12_000 : MOST_CHARACTERS),
        `${text.length}`,
      );
      assert.ok(text.isWellFormed(), 'half of a character');
      assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e]/u);
      assert.doesNotMatch(text, /^Internal error/m);
      assert.ok(pictures.reduce((sum, { length }) => sum + length, 0) <= MOST_PICTURE_CHARACTERS);
      for (const data of pictures) assert.equal(Buffer.from(data, 'base64').toString('base64'), data);
    });
    await fc.assert(property, { numRuns: draws(60) });
  });
}

test('a line is never longer than asked for, never half a character, and says where it was cut', () => {
  fc.assert(
    fc.property(hostile, fc.integer({ min: 4, max: 500 }), (text, most) => {
      const line = oneLine(text, most);
      assert.ok(line.length <= most);
      assert.ok(line.isWellFormed());
      assert.doesNotMatch(line, /[\r\n\u2028\u2029]/);
    }),
  );
  assert.equal(oneLine('a😀b', 3), 'a…');
  assert.equal(oneLine('ab', 2), 'ab');
});

test('rows that do not fit are left out whole, and what is said below them counts them', () => {
  fc.assert(
    fc.property(many(hostile), fc.integer({ min: 300, max: 3_000 }), (texts, most) => {
      const rows = texts.map((text, i) => `${i}: ${oneLine(text, 250)}`);
      const { text, shown } = listed({ head: ['head'], rows, below: (n) => [`shown ${n}`], most });
      assert.ok(text.length <= most);
      assert.deepEqual(text.split('\n'), ['head', ...rows.slice(0, shown), `shown ${shown}`]);
    }),
  );
  assert.ok(bounded('x'.repeat(50_000)).length <= MOST_CHARACTERS);
});
