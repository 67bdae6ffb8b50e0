import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { speechPreferences } from '../../actors/analysis/stages/speech/kind.ts';
import { commandTable } from '../../cli/command-table.ts';
import {
  bashScript,
  fishScript,
  places,
  settingFlags,
  valueFlags,
  zshScript,
} from '../../cli/commands/completion.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A folder with a file and a folder in it, and the three scripts. */
function folder(t: TestContext): string {
  const path = temporaryFolder(t);
  mkdirSync(join(path, 'footage'));
  writeFileSync(join(path, 'a film.mp4'), '');
  for (const [shell, script] of Object.entries({ bash: bashScript, zsh: zshScript, fish: fishScript }))
    writeFileSync(join(path, `framehound.${shell}`), script());
  return path;
}

function run(cwd: string, shell: string, ...args: string[]): string[] {
  const { status, stdout, stderr } = spawnSync(shell, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
  return stdout.split('\n').filter((line) => line !== '');
}

const hasShell = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/**
 * A shell: its arguments before a script, how the script begins, and its lines that print what is offered for
 * the last word.
 */
interface Shell {
  readonly args: readonly string[];
  readonly begin: string;
  readonly offer: (words: readonly string[]) => string;
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

const bash: Shell = {
  args: ['--norc', '-c'],
  begin: 'source framehound.bash',
  offer: (
    words,
  ) => `COMP_WORDS=(framehound ${quoted(words)}); COMP_CWORD=${words.length}; COMPREPLY=(); _framehound
    for one in "\${COMPREPLY[@]}"; do printf "%s\\n" "$one"; done`,
};

/** The functions of its completion system print what they are given. */
const zsh: Shell = {
  args: ['-f', '-c'],
  begin: `compdef() { }; _message() { }
    _describe() { print -l -- "\${(@)\${(@P)2}%%:*}" }
    _files() { if [[ $1 == -/ ]]; then print -l -- *(N/); else print -l -- *(N); fi }
    compadd() { shift; print -l -- "$@" }
    ask() { words=("$@"); CURRENT=$#; PREFIX=\${words[-1]}; _framehound }
    source ./framehound.zsh`,
  offer: (words) => `ask framehound ${quoted(words)}`,
};

const fish: Shell = {
  args: ['--no-config', '-c'],
  begin: 'source framehound.fish',
  offer: (words) => `complete -C '${['framehound', ...words].join(' ')}'`,
};

/**
 * What a shell offers for the last word of each question. One process answers all: starting one takes longer.
 */
function offers(cwd: string, name: string, shell: Shell, asked: readonly (readonly string[])[]): string[][] {
  const end = '--- end ---';
  const script = [shell.begin, ...asked.flatMap((words) => [shell.offer(words), `echo '${end}'`])];
  const answers: string[][] = [[]];
  for (const line of run(cwd, name, ...shell.args, script.join('\n'))) {
    if (line === end) answers.push([]);
    else answers.at(-1)!.push(line.split('\t')[0]!);
  }
  assert.deepEqual(answers.pop(), []);
  assert.equal(answers.length, asked.length);
  // The functions of zsh that stand in for its own offer everything there is.
  return answers.map((offered, i) =>
    offered.filter((word) => name !== 'zsh' || word.startsWith(asked[i]!.at(-1)!)),
  );
}

for (const [name, shell] of Object.entries({ bash, zsh, fish })) {
  const skip = !hasShell(name) && `${name} is not on this machine`;

  test(`${name} offers the words and the flags of the table, everywhere`, { skip }, (t) => {
    const cwd = folder(t);
    run(cwd, name, '-n', `framehound.${name}`);
    const before = places.map(({ path }) => path.split(' ').filter(Boolean));
    const answers = offers(
      cwd,
      name,
      shell,
      before.flatMap((words) => [
        [...words, ''],
        [...words, '--'],
      ]),
    );
    for (const [i, { path, words, flags, completes }] of places.entries()) {
      const wanted = [
        ...words.map(({ word }) => word),
        ...(Array.isArray(completes) ? (completes as string[]) : []),
      ];
      const offered = answers[2 * i]!.filter((word) => !/^(footage|a\\? film|framehound\.)/.test(word));
      assert.deepEqual(offered.sort(), wanted.sort(), path);
      const flagWords = [...flags, ...settingFlags].map(({ word }) => word);
      assert.deepEqual([...new Set(answers[2 * i + 1])].sort(), flagWords.sort(), path);
    }
  });

  test(`${name} completes what has begun, paths, and values of flags`, { skip }, (t) => {
    const paths = [['analyze'], ['tour'], ['transcript', 'show'], ['search', '--image']];
    const wanted: readonly (readonly [words: string[], offered: string[]])[] = [
      [
        ['--model', 'x', 'tr'],
        ['transcribe', 'transcript'],
      ],
      [['license', '--home', 'list', 'iss'], ['issue']],
      [
        ['search', '--decode', ''],
        ['exact', 'keyframes'],
      ],
      [['analyze', '--fo'], ['--force']],
      [['search', '--max', ''], []],
      [['search', ''], []],
      ...paths.map((words): [string[], string[]] => [[...words, 'foo'], ['footage']]),
      [['thumbnails', '--out', ''], ['footage']],
    ];
    const more = ['transcribe', '--with', 'more'];
    const asked = [...wanted.map(([words]) => words), more];
    const answers = offers(folder(t), name, shell, asked);
    for (const [i, [words, offered]] of wanted.entries())
      assert.deepEqual(answers[i]!.map((path) => path.replace(/\/$/, '')).sort(), offered, words.join(' '));
    assert.match(answers.at(-1)![0]!, /^more\\? accurate$/);
  });
}

test('a flag is completed the same way wherever it stands', () => {
  const all = [...settingFlags, ...places.flatMap(({ flags }) => flags)].filter(
    ({ takesValue }) => takesValue,
  );
  for (const { word, completes } of all) {
    assert.deepEqual(completes, valueFlags.find((flag) => flag.word === word)?.completes, word);
  }
});

test('the words that name a way to transcribe are those that the analysis knows', () => {
  assert.deepEqual(commandTable.transcribe.options.with.completes, speechPreferences);
});
