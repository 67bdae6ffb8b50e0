// The command line as a process: exit codes, and settings before and after the command.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { sampled } from '../shared.ts';
import { newHome } from '../system/command-line.ts';

function homeOf(t: TestContext) {
  const home = newHome();
  t.after(home.remove);
  return home;
}

interface Row {
  readonly setting: string;
  readonly value: unknown;
  readonly source: string;
}

/** Value and source of a setting, as `config --json` prints them. */
function settingOf(json: string, name: string): unknown[] {
  const row = (JSON.parse(json) as Row[]).find(({ setting }) => setting === name);
  return [row?.value, row?.source];
}

test('a command that a note names is the one that is typed here', async (t) => {
  const { err } = await homeOf(t).run('license', 'list');
  assert.match(err, /no keys yet\. To make one: npx framehound license issue/);
});

test('mistakes of the command line are named and have an exit code of their own', async (t) => {
  const home = homeOf(t);
  const cases: [string[], number, RegExp][] = [
    [[], 2, /^Analyse +analyze PATH/m],
    [
      ['faces', 'recluster', 'x', '--force'],
      2,
      /this action has no option --force; faces analyze has it; see: framehound help faces/,
    ],
    [['serch'], 2, /no command serch; did you mean search\?/],
    [['help', 'serch'], 2, /no command serch; did you mean search\?/],
    [['--modle', 'x', 'search'], 2, /no option --modle; did you mean --model\?/],
    [['toString'], 2, /no command toString/],
    [['search'], 2, /needs a text/],
    [['search', '--frame', 'x.mp4'], 2, /FILE@SECONDS/],
    [['search', 'x', '--max', '0'], 2, /--max/],
    [['search', 'x', '--colour'], 2, /no option --colour; see: (npx )?framehound help search/],
    [['search', 'x', '--mx', '3'], 2, /no option --mx; did you mean --max\?/],
    [['search', 'x', '--media'], 2, /--media needs a value: FILE\n/],
    [['search', 'x', '--json=3'], 2, /--json takes no value/],
    [['tasks', 'lst'], 2, /tasks takes .* not lst; did you mean list\?/],
    [['transcript', 'shw'], 2, /transcript takes .* not shw; did you mean show\?/],
    [['watch', 'lst'], 2, /watch takes .* not lst; did you mean list\?/],
    [
      ['watch', 'add', 'a', '--exclude-files', 'x'],
      2,
      /no option --exclude-files; did you mean --exclude-file\?/,
    ],
    [['license', 'isue'], 2, /license takes .* not isue; did you mean issue\?/],
    [['completion', 'bsh'], 2, /did you mean bash\?/],
    [['search', 'x', '--model'], 2, /--model needs a value/],
    [['analyze'], 2, /needs the path/],
    [['analyze', 'x', '--cuts', '--reuse', 'near'], 2, /--cuts cannot be combined with --reuse/],
    [['analyze', 'x', '--reuse', 'almost'], 2, /--reuse must be one of exact, near, off, not almost/],
    [['analyze', '/nowhere/at/all.mp4'], 3, /at\/all\.mp4/],
    [['search', 'blue'], 1, /analysis/],
    [['tour', '/nowhere/at/all.mp4'], 1, /^framehound: \/nowhere\/at\/all\.mp4: file not found\n$/],
    [
      ['transcript', 'search', 'hello', '--cache-dir', home.folder],
      2,
      /no transcripts in .*; to make one: (npx )?framehound transcribe\n/,
    ],
    [['models', 'pull', 'no-such-model'], 1, /no-such-model/],
    [['models', 'pull', 'clip-b23'], 1, /did you mean clip-b32\?/],
    [['disk', 'now'], 2, /disk takes no argument 'now'; see: framehound help disk/],
    [['models', 'lits'], 2, /did you mean list\?/],
    [['serve', '--no-guardian', '--hold', '2/5'], 2, /hold needs a cluster/],
    [['serve', '--no-guardian', '--hold', '6/5'], 2, /--hold must be a part such as 2\/5, .* not 6\/5/],
    [['config', '--decode', 'fast'], 2, /--decode must be one of exact, keyframes, not fast/],
  ];
  await Promise.all(
    sampled(cases, 5).map(async ([args, code, message]) => {
      const ended = await home.run(...args);
      assert.equal(ended.code, code, `${args.join(' ')}: ${ended.err}`);
      assert.match(ended.err + ended.out, message);
      assert.doesNotMatch(ended.err, /\n {4}at /, 'a mistake is told without a stack');
    }),
  );
});

test('help and version are answers', async (t) => {
  const home = homeOf(t);
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  const cases: [string[], RegExp][] = [
    [['help'], /^framehound finds moments/],
    [['--help'], /^framehound finds moments/],
    [['search', '-h'], /^ {2}framehound search \[TEXT\] .*\n(.*\n)+.*--per-film N/],
    [['help', 'models'], /^ {2}framehound models .*\n(.*\n)+ {2}framehound models verify /],
    [['transcript', '--help'], /^ {2}framehound transcript ACTION /],
    [['version'], new RegExp(`^${version.replaceAll('.', '\\.')}\n$`)],
    [['-v'], /^\d+\.\d+\.\d+\n$/],
  ];
  await Promise.all(
    cases.map(async ([args, printed]) => {
      const { code, out, err } = await home.run(...args);
      assert.deepEqual([code, err], [0, ''], args.join(' '));
      assert.match(out, printed);
    }),
  );
});

test('settings stand before or after the command, with a space or an equals sign', async (t) => {
  const home = homeOf(t);
  const orders = [
    ['--model', 'other', 'config', '--json'],
    ['config', '--json', '--model', 'other'],
    ['config', '--model=other', '--json'],
    ['--model', 'first', 'config', '--json', '--model', 'other'],
  ];
  await Promise.all(
    orders.map(async (args) => {
      const { code, out, err } = await home.run(...args);
      assert.equal(code, 0, err);
      assert.deepEqual(settingOf(out, 'model'), ['other', 'flag'], args.join(' '));
      assert.deepEqual(settingOf(out, 'home'), [join(home.folder, 'home'), 'environment']);
    }),
  );
});

test('what stands behind -- is the own of the command', async (t) => {
  const { code, err } = await homeOf(t).run('tasks', '--', '--model', 'x');
  assert.deepEqual([code, /tasks takes list, show, resume or cancel, not --model/.test(err)], [2, true], err);
});

test('config.json is read from the home folder; one that cannot be read is a usage error', async (t) => {
  const home = homeOf(t);
  const file = join(home.folder, 'home', 'config.json');
  mkdirSync(join(home.folder, 'home'));
  const cases: [string, number, RegExp][] = [
    ['{"model":"mine"}', 0, /"value":"mine","source":"config\.json"/],
    ['{"model":', 2, /config\.json: is not JSON/],
    ['[]', 2, /config\.json: is not a JSON object/],
    ['{"modle":"mine"}', 2, /unknown setting "modle"/],
    ['{"port":"x"}', 2, /config\.json: port must be a whole number, not x/],
  ];
  for (const [text, code, said] of cases) {
    writeFileSync(file, text);
    const ended = await home.run('config', '--json');
    assert.equal(ended.code, code, text);
    assert.match(ended.out + ended.err, said);
  }
});

test('doctor looks at the machine, the media, the models and the folders', async (t) => {
  const { code, out } = await homeOf(t).run('doctor', '--json');
  assert.equal(code, 0, out);
  const names = (JSON.parse(out) as { name: string; ok: boolean }[]).map(({ name }) => name);
  for (const name of ['node', 'media', 'model devices', 'store', 'model', 'home'])
    assert.ok(names.includes(name), name);
});
