import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { speechPreferences } from '../../actors/analysis/stages/speech/request.ts';
import { commandTable } from '../../cli/command-table.ts';
import { bashScript } from '../../cli/completion/bash.ts';
import { fishScript } from '../../cli/completion/fish.ts';
import { places, settingFlags, valueFlags } from '../../cli/completion/places.ts';
import { zshScript } from '../../cli/completion/zsh.ts';

/** A folder with a file and a folder in it, and the three scripts. */
function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'framehound-completion-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
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

/** What a shell offers for the last of the words. */
type Offers = (...words: string[]) => string[];

const bash =
  (cwd: string): Offers =>
  (...words) => {
    const call = 'source framehound.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _framehound';
    const print = `for one in "\${COMPREPLY[@]}"; do printf "%s\\n" "$one"; done`;
    return run(cwd, 'bash', '--norc', '-c', `${call}; ${print}`, '-', 'framehound', ...words);
  };

/** The functions of its completion system print what they are given. */
const zsh =
  (cwd: string): Offers =>
  (...typed) => {
    const stubs = `compdef() { }; _message() { }
      _describe() { print -l -- "\${(@)\${(@P)2}%%:*}" }
      _files() { if [[ $1 == -/ ]]; then print -l -- *(N/); else print -l -- *(N); fi }
      compadd() { shift; print -l -- "$@" }`;
    const call = `source ./framehound.zsh; words=("$@"); CURRENT=$#; PREFIX=\${words[-1]}; _framehound`;
    const offered = run(cwd, 'zsh', '-f', '-c', `${stubs}\n${call}`, '-', 'framehound', ...typed);
    return offered.filter((word) => word.startsWith(typed.at(-1)!));
  };

const fish =
  (cwd: string): Offers =>
  (...words) => {
    const line = ['framehound', ...words].join(' ');
    const offered = run(cwd, 'fish', '--no-config', '-c', 'source framehound.fish; complete -C $argv', line);
    return offered.map((one) => one.split('\t')[0]!);
  };

for (const [shell, offersIn] of Object.entries({ bash, zsh, fish })) {
  const skip = !hasShell(shell) && `${shell} is not on this machine`;

  test(`${shell} offers the words and the flags of the table, everywhere`, { skip }, (t) => {
    const cwd = folder(t);
    const offers = offersIn(cwd);
    run(cwd, shell, '-n', `framehound.${shell}`);
    for (const { path, words, flags, completes } of places) {
      const before = path.split(' ').filter(Boolean);
      const wanted = [
        ...words.map(({ word }) => word),
        ...(Array.isArray(completes) ? (completes as string[]) : []),
      ];
      const offered = offers(...before, '').filter((word) => !/^(footage|a\\? film|framehound\.)/.test(word));
      assert.deepEqual(offered.sort(), wanted.sort(), path);
      const flagWords = [...flags, ...settingFlags].map(({ word }) => word);
      assert.deepEqual([...new Set(offers(...before, '--'))].sort(), flagWords.sort(), path);
    }
  });

  test(`${shell} completes what has begun, paths, and values of flags`, { skip }, (t) => {
    const offers = offersIn(folder(t));
    assert.deepEqual(offers('--model', 'x', 'tr').sort(), ['transcribe', 'transcript']);
    assert.deepEqual(offers('license', '--home', 'list', 'iss'), ['issue']);
    assert.deepEqual(offers('search', '--decode', ''), ['exact', 'keyframes']);
    assert.deepEqual(offers('analyze', '--fo'), ['--force']);
    assert.deepEqual(offers('search', '--max', ''), []);
    assert.deepEqual(offers('search', ''), []);
    for (const words of [['analyze'], ['tour'], ['transcript', 'show'], ['search', '--image']]) {
      assert.deepEqual(
        offers(...words, 'foo').map((path) => path.replace(/\/$/, '')),
        ['footage'],
      );
    }
    const folders = offers('thumbnails', '--out', '').map((path) => path.replace(/\/$/, ''));
    assert.deepEqual(folders, ['footage']);
    assert.match(offers('transcribe', '--with', 'more')[0]!, /^more\\? accurate$/);
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
