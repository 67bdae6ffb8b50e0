import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { stageKinds } from '../../../../../actors/analysis/stages/kinds.ts';
import { summaryKind } from '../../../../../actors/analysis/stages/summary/kind.ts';
import { until } from '../../../../until.ts';
import { summaryEngine, summaryOf } from './summary-engine.ts';

const films = [
  { name: 'a', frames: 5 },
  { name: 'b', frames: 3 },
];

test('a film is looked at and then summarised, and the result reads it', async (t) => {
  const e = await summaryEngine(t, films);
  const { state, of, counts } = await e.run(summaryOf(e.w.paths));
  assert.equal(state, 'completed');
  assert.deepEqual([counts.files, counts.done, counts.failed], [4, 4, 0]);
  const [made] = of['a']?.summaries ?? [];
  assert.equal(of['a']?.outcome, 'analyzed');
  assert.deepEqual(
    [made?.analysis_name, made?.outcome, made?.nodes],
    ['general_understanding', 'analyzed', 4],
  );
  assert.match(made?.summary_ref ?? '', /^s1\.a\.0{23}[12]\./);
  assert.equal(made?.summary_model_key, 'templates');
  assert.equal(e.summaries.stored.size, 2);
  assert.deepEqual([...e.summaries.open.keys()], []);
  assert.equal(e.summarizer.films.size, 0, 'every film is closed');
  assert.deepEqual(
    e.summarizer.closed.map(({ frames }) => frames.length).toSorted(),
    [3, 5],
    'all vectors went in, in pages',
  );
  assert.ok(e.summaries.faults.swept >= 2, 'what nobody reads is swept in steps');
});

test('the lexicon is put into the space of the model once in a task, and words it does not know are zeros', async (t) => {
  const e = await summaryEngine(t, films);
  await e.run(summaryOf(e.w.paths));
  const withPhrases = () => e.summarizer.phrases.filter((count) => count !== null);
  assert.deepEqual([e.summarizer.phrases[0], withPhrases()], [100, [100]]);
  const before = e.summarizer.phrases.length;
  await e.run(summaryOf(e.w.paths, { analysis_name: 'again' }));
  assert.equal(e.summarizer.phrases.length, before + 1, 'another task brings the pictures of its library');
  assert.deepEqual(withPhrases(), [100]);
});

test('what is said and who is seen goes in with the names there are', async (t) => {
  const e = await summaryEngine(t, [{ name: 'a', frames: 4 }]);
  const mark = {
    model_key: 'm',
    language: null,
    spoken: 'de',
    channels: null,
    detect_speakers: true,
    speaker_count: 'auto',
    speaker_names: { SPEAKER_01: 'Bert' },
  };
  const segment = (speaker: string, text: string) => ({ start_seconds: 0, end_seconds: 1, text, speaker });
  const segments = [
    segment('SPEAKER_00', ' hello'),
    segment('SPEAKER_01', ' yes'),
    segment('SPEAKER_02', ' no'),
  ];
  e.w.state.transcripts.set('a', { mark, segments, names: { SPEAKER_00: 'Ada' } });
  const seen = { cluster_id: 'c1', person: 'Ada', is_named: true };
  e.w.state.material.seen.push({ ...seen, cluster_job_name: 'x' }, { ...seen, cluster_job_name: 'y' });
  e.w.state.material.seen.push({ ...seen, person: 'c1', is_named: false, cluster_job_name: 'x' });
  await e.run(
    summaryOf(e.w.paths, { summary_objective: { preset: 'custom', custom_instructions: 'four dogs' } }),
  );
  const [film] = e.summarizer.closed;
  assert.deepEqual(film?.words, ['Ada: hello', 'Bert: yes', 'SPEAKER_02: no']);
  assert.deepEqual(film?.people, ['Ada', 'c1']);
  assert.deepEqual([film?.asked.language, film?.asked.instructions?.length], ['de', 2]);
  assert.equal(film?.asked.objective.preset, 'custom');
});

test('speakers that may be too many are told of where a person or subtitles named them', async (t) => {
  const e = await summaryEngine(t, [{ name: 'a', frames: 4 }]);
  const mark = {
    ...{ model_key: 'm', language: null, spoken: 'en', channels: null, speaker_count: 'auto' },
    ...{ detect_speakers: true, speakers_uncertain: true, speaker_names: { SPEAKER_01: 'Bert' } },
  };
  const segments = ['SPEAKER_00', 'SPEAKER_01', 'SPEAKER_02'].map((speaker, at) => ({
    ...{ start_seconds: at, end_seconds: at + 1, text: ' yes', speaker },
  }));
  e.w.state.transcripts.set('a', { mark, segments, names: { SPEAKER_00: 'Ada' } });
  await e.run(summaryOf(e.w.paths));
  assert.deepEqual(e.summarizer.closed[0]?.words, ['Ada: yes', 'Bert: yes', 'null: yes']);
});

test('a summary waits for all that it tells of', () => {
  const before = stageKinds.slice(0, stageKinds.indexOf(summaryKind)).map(({ type }) => type);
  // Summaries tell nothing of music and singing.
  assert.deepEqual(summaryKind.needs.toSorted(), before.filter((type) => type !== 'sounds').toSorted());
});

test('what detectors have seen goes in, and what is damaged of it is left out', async (t) => {
  const e = await summaryEngine(t, films);
  const seen = {
    start: 0,
    end: 2,
    best: 1,
    score: 0.9,
    box: [0.1, 0.1, 0.2, 0.2] as [number, number, number, number],
  };
  const track = { ...seen, class: 'dog' as const, colours: [] };
  e.w.state.things.stored.set('a', { model_key: 'm', items: [track], from_previews: false });
  const items = [{ ...seen, text: 'STOP' }];
  e.w.state.text.stored.set('a', { model_key: 'm', items, from_previews: false });
  const { of } = await e.run(summaryOf(e.w.paths));
  assert.deepEqual(e.summarizer.closed.map(({ sights }) => sights).toSorted(), [[], ['dog', 'STOP']]);
  assert.equal(of['a']?.summaries?.[0]?.warning, undefined);
});

test('two names of one file are two summaries, and both are told in its one result', async (t) => {
  const e = await summaryEngine(t, [{ name: 'a', frames: 4 }]);
  const [path = ''] = e.w.paths;
  const two = ['one', 'two'].map((analysis_name) => ({ path, analysis_name, replace_existing: false }));
  const { of, counts } = await e.run({ visual_media_paths: [path], summary_requests: two });
  assert.equal(counts.files, 2);
  assert.deepEqual(
    of['a']?.summaries.map(({ analysis_name, outcome }) => [analysis_name, outcome]),
    [
      ['one', 'analyzed'],
      ['two', 'analyzed'],
    ],
  );
  const task = e.events.findLast((event) => event.type === 'task');
  assert.deepEqual(task?.task.stages['summary']?.done, 4, 'the seconds of the file count once');
});

test('a name that is taken is refused before anything starts, and replaced when that is wanted', async (t) => {
  const e = await summaryEngine(t, [{ name: 'a', frames: 4 }]);
  await e.run(summaryOf(e.w.paths, { analysis_name: 'Mine' }));
  const again = e.begin(summaryOf(e.w.paths, { analysis_name: 'MINE' }));
  await assert.rejects(again, /summary_requests\[0\]\.analysis_name is taken: .*replace_existing/);
  const { of } = await e.run(summaryOf(e.w.paths, { analysis_name: 'MINE', replace_existing: true }));
  assert.equal(of['a']?.summaries[0]?.outcome, 'analyzed');
  assert.equal(e.summaries.stored.size, 1);
});

test('a name that turns out to be taken fails that one alone, and tells of the others', async (t) => {
  const e = await summaryEngine(t, films);
  const [a = '', b = ''] = e.w.paths;
  await e.run(summaryOf([a], { analysis_name: 'taken' }));
  const gate = Promise.withResolvers<void>();
  e.w.state.hold = gate.promise;
  const two = ['taken', 'free'].map((analysis_name) => ({ path: b, analysis_name, replace_existing: false }));
  const task_id = await e.begin({ visual_media_paths: [b], summary_requests: two });
  // Somebody else makes one of that name meanwhile.
  const [made] = [...e.summaries.stored.values()];
  e.summaries.stored.set('f'.repeat(24), { ...made!, held: { ...made!.held, hash_str: 'b' } });
  gate.resolve();
  assert.equal(await e.end(), 'completed');
  const { of } = await e.ends(task_id);
  assert.equal(of['b']?.error?.code, 'SUMMARY_NAME_TAKEN');
  assert.deepEqual(
    of['b']?.summaries.map(({ outcome }) => outcome),
    ['failed', 'analyzed'],
  );
  const told = e.emitted.find((event) => event.error_code === 'SUMMARY_NAME_TAKEN');
  assert.equal(told?.summary_error, told?.error);
});

test('events of summaries say what is done, of which node, and write percentages as texts', async (t) => {
  const e = await summaryEngine(t, [{ name: 'a', frames: 4 }]);
  await e.run(summaryOf(e.w.paths, { summary_model_key: 'small' }));
  const own = e.emitted.filter(({ type, done }) => type === 'summary' && !done);
  const stages = [...new Set(own.flatMap(({ summary_stage }) => summary_stage ?? []))];
  assert.deepEqual(stages, [
    'loading_model',
    'preparing_evidence',
    'generating_observations',
    'generating_summary',
    'generating_short_summary',
  ]);
  assert.ok(own.some(({ summary_node_id }) => summary_node_id === 'n2'));
  for (const { progress } of own) assert.match(String(progress), /^\d+\.\d$/);
  assert.ok(own.every(({ progress }) => typeof progress === 'string'));
  const pictures = e.emitted.filter(({ type }) => type === 'video');
  assert.ok(pictures.every(({ progress }) => typeof progress === 'number'));
});

test('a language model writes node by node, sees the pictures that can be read, and is freed', async (t) => {
  const e = await summaryEngine(t, [{ name: 'a', frames: 4 }]);
  e.w.state.preview = (_, frame) => (frame === 2 ? null : new Uint8Array([1]));
  e.summarizer.unusable.add('n0');
  const { of } = await e.run(summaryOf(e.w.paths, { summary_model_key: 'small' }));
  const written = e.summarizer.heard.filter((one) => one.startsWith('write'));
  assert.deepEqual(written, ['write n0+1', 'write n2+0', 'write root+0']);
  assert.equal(e.summarizer.heard.at(-1), 'unload');
  const [made] = of['a']?.summaries ?? [];
  assert.deepEqual([made?.summary_model_key, made?.failed_nodes], ['small', 1]);
  assert.match(made?.warning ?? '', /1 stored pictures cannot be read/);
  const { quality } = [...e.summaries.stored.values()][0]!.detail;
  assert.deepEqual([quality.failed_node_ids, quality.failed_node_count], [['n0'], 1]);
  assert.deepEqual([quality.warning_count, quality.warnings.length], [1, 1]);
});

test('a file of another visual model is summarised without concepts, and damaged vectors are left out', async (t) => {
  const e = await summaryEngine(t, films);
  await e.run({ visual_media_paths: e.w.paths });
  e.w.state.material.analysedBy.set('a', ['other']);
  e.w.state.material.damaged.add('b');
  const { of } = await e.run({ ...summaryOf(e.w.paths), visual_media_paths: [] });
  assert.match(of['a']?.summaries[0]?.warning ?? '', /analysed with other, but the model in use is fake/);
  assert.match(of['b']?.summaries[0]?.warning ?? '', /visual analysis is damaged/);
  assert.deepEqual(e.summarizer.closed.map(({ asked }) => asked.visual_model?.model_key).toSorted(), [
    'other',
    undefined,
  ]);
  assert.deepEqual(e.summarizer.phrases, []);
});

test('a file that is gone is summarised from what is stored', async (t) => {
  const e = await summaryEngine(t, [{ name: 'a', frames: 4 }]);
  await e.run({ visual_media_paths: e.w.paths });
  rmSync(e.w.paths[0]!);
  const { of } = await e.run({ ...summaryOf(e.w.paths), visual_media_paths: [] });
  assert.equal(of['a']?.outcome, 'analyzed', of['a']?.error?.message);
  assert.equal(e.w.decoded.length, 1, 'nothing is decoded for it');
});

test('sound that nobody wrote down has nothing to summarise; a film that failed fails here too', async (t) => {
  const e = await summaryEngine(t, [
    { name: 'sound', frames: 4, kind: 'audio' },
    { name: 'bad', frames: 4, failAt: 1, error: 'decode' },
  ]);
  const { of } = await e.run(summaryOf(e.w.paths));
  assert.equal(of['sound']?.outcome, 'nothing_to_summarize');
  assert.equal(of['bad']?.error?.code, 'NOT_ANALYZED');
});

test('the faces of a task are clustered before its summaries begin', async (t) => {
  const e = await summaryEngine(t, films);
  const gate = Promise.withResolvers<void>();
  // Without faces there is nothing to cluster, and the step that is held is never reached.
  e.w.state.people.shown = () => [0];
  e.w.state.people.holdStep = gate.promise;
  const face_clustering_jobs = [
    { cluster_job_name: 'cast', face_media_paths: [...e.w.paths], face_eps: 0.48, face_min_samples: 2 },
  ] as never;
  await e.begin({ ...summaryOf(e.w.paths), face_clustering_jobs });
  await until(() => e.events.some((event) => event.type === 'closing'));
  assert.ok(!e.summarizer.heard.includes('open_film'));
  gate.resolve();
  assert.equal(await e.end(), 'completed');
  const clustered = e.events.findIndex((event) => event.type === 'result' && event.result.closing);
  const began = e.events.findIndex((event) => event.type === 'file' && event.file.type === 'summary');
  assert.ok(clustered > 0 && clustered < began, `${clustered} ${began}`);
});
