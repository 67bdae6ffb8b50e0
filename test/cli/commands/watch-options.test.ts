import assert from 'node:assert/strict';
import test from 'node:test';
import { filterArgument, filterText } from '../../../cli/arguments.ts';
import { changesOf, type FolderOptions, newFolder } from '../../../cli/commands/watch.ts';
import { usageErrors } from '../../../cli/context.ts';
import { noOptions, watchFolder } from './watch-world.ts';

const added = (options: Partial<FolderOptions>) => newFolder('/f', null, { ...noOptions, ...options });
const changed = (options: Partial<FolderOptions>, folder = watchFolder()) =>
  changesOf(folder, { ...noOptions, ...options });

test('each option of a new folder is a field of the interface, and the others have their defaults', () => {
  const plain = added({});
  assert.deepEqual(
    [plain.enabled, plain.enable_visual_analysis, plain.enable_audio_analysis, plain.face_eps],
    [true, true, false, 0.48],
  );
  const folder = added({
    'no-pictures': true,
    speech: true,
    language: 'de',
    speakers: '2',
    channels: '2,1',
    with: 'subtitles',
    faces: ' Family ',
    eps: '0.3',
    'min-samples': '4',
    'exclude-extension': ['MXF', '.mxf', '.Wav'],
    'exclude-file': ['*_proxy.*'],
    'exclude-folder': ['day*\\proxies'],
    filter: ['technical.hdr is_any_of sdr| hlg '],
    disabled: true,
  });
  assert.deepEqual(folder, {
    ...plain,
    enabled: false,
    enable_visual_analysis: false,
    enable_audio_analysis: true,
    audio_language: 'de',
    detect_speakers: true,
    speaker_count: 2,
    channels: [1, 2],
    preferred_x_model_key: 'subtitles',
    enable_face_analysis: true,
    cluster_job_name: 'Family',
    face_eps: 0.3,
    face_min_samples: 4,
    excluded_extensions: ['.mxf', '.wav'],
    excluded_filename_globs: ['*_proxy.*'],
    excluded_folder_globs: ['day*/proxies'],
    metadata_filter_request: {
      filters: [{ facet_id: 'technical.hdr', operator: 'is_any_of', values: ['sdr', 'hlg'] }],
    },
  });
});

test('a new folder groups faces from two pictures on', () => {
  const { face_min_samples } = added({ faces: 'Family' });
  assert.equal(face_min_samples, 2);
});

test('a change is of what is named alone, and every option has an opposite', () => {
  const folder = watchFolder({
    enable_audio_analysis: true,
    enable_face_analysis: true,
    excluded_extensions: ['.mxf'],
    excluded_folder_globs: ['a', 'b'],
  });
  for (const [options, changes] of [
    [{}, {}],
    [{ pictures: true }, { enable_visual_analysis: true }],
    [{ 'no-pictures': true }, { enable_visual_analysis: false }],
    [{ 'no-speech': true }, { enable_audio_analysis: false }],
    [{ channels: 'mixed' }, { channels: null }],
    [{ speakers: 'none' }, { detect_speakers: false, speaker_count: 'auto' }],
    [{ faces: 'B' }, { enable_face_analysis: true, cluster_job_name: 'B' }],
    [{ 'no-faces': true }, { enable_face_analysis: false }],
    [{ 'exclude-extension': ['MXF', 'mov'] }, { excluded_extensions: ['.mxf', '.mov'] }],
    [{ 'include-folder': ['a'] }, { excluded_folder_globs: ['b'] }],
    [{ 'include-folder': ['b'], 'exclude-folder': ['c'] }, { excluded_folder_globs: ['a', 'c'] }],
    [{ 'no-filter': true }, { metadata_filter_request: null }],
    [{ enabled: true }, { enabled: true }],
    [{ disabled: true }, { enabled: false }],
  ] as const)
    assert.deepEqual(changed(options, folder), changes, JSON.stringify(options));
});

test('what contradicts itself, does nothing or cannot be meant is a mistake that is named', () => {
  const invalid: [Partial<FolderOptions>, RegExp][] = [
    [{ pictures: true, 'no-pictures': true }, /--pictures and --no-pictures/],
    [{ speech: true, 'no-speech': true }, /--speech and --no-speech/],
    [{ faces: 'a', 'no-faces': true }, /--faces and --no-faces/],
    [{ enabled: true, disabled: true }, /--enabled and --disabled/],
    [{ filter: ['a is_not b'], 'no-filter': true }, /--filter and --no-filter/],
    [{ faces: ' ' }, /--faces needs a name/],
    [{ language: 'de' }, /--language .* with --speech$/],
    [{ speech: true, language: 'klingon' }, /--language/],
    [{ eps: '0.4' }, /--eps .* with --faces JOB$/],
    [{ faces: 'a', eps: '3' }, /--eps/],
    [{ speech: true, channels: '0' }, /--channels/],
    [
      { 'include-file': ['*_prxy.*'] },
      /--include-file: \*_prxy\.\* is not excluded; did you mean \*_proxy\.\*\?/,
    ],
    [{ 'include-extension': ['wav'] }, /--include-extension: \.wav is not excluded/],
  ];
  const folder = watchFolder({ excluded_filename_globs: ['*_proxy.*'] });
  for (const [options, message] of invalid) {
    assert.throws(
      () => changed(options, folder),
      (error: Error) => usageErrors.USAGE.is(error) && message.test(error.message),
      JSON.stringify(options),
    );
  }
  assert.throws(() => added({ 'no-pictures': true }), /nothing to analyse is selected/);
});

test('a filter is a facet, an operator and values, and is printed as it is typed', () => {
  const text = 'file.folder exclude_any_of /a b/c|/d';
  const filter = filterArgument(`  ${text} `);
  assert.deepEqual(filter, { facet_id: 'file.folder', operator: 'exclude_any_of', values: ['/a b/c', '/d'] });
  assert.equal(filterText(filter), text);
  for (const [bad, message] of [
    ['', /must be FACET OPERATOR VALUE/],
    ['technical.hdr', /must be FACET OPERATOR VALUE/],
    ['technical.hdr is_not', /must be FACET OPERATOR VALUE/],
    ['technical.hdr is_not  | ', /must be FACET OPERATOR VALUE/],
    ['technical.hdr is_nt sdr', /no operator is_nt; did you mean is_not\?/],
    ['technical.hdr = sdr', /no operator =; use one of is_any_of, /],
  ] as const)
    assert.throws(
      () => filterArgument(bad),
      (error: Error) => usageErrors.USAGE.is(error) && message.test(error.message),
      bad,
    );
});
