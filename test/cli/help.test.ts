import assert from 'node:assert/strict';
import test from 'node:test';
import { type Action, commandTable, type Options } from '../../cli/command-table.ts';
import { settingFlags } from '../../cli/completion/places.ts';
import { commandHelp, helpText } from '../../cli/help.ts';
import { assertGolden } from '../golden.ts';

const withActions = (command: Action): Action[] => [command, ...Object.values(command.actions ?? {})];
const actions = Object.values(commandTable as Record<string, Action>).flatMap(withActions);
const optionSets: Options[] = actions.flatMap(({ options }) => (options ? [options] : []));

test('the help names every command, every option and every setting, and nothing else', () => {
  const text = helpText();
  for (const name of Object.keys(commandTable))
    assert.match(text, new RegExp(`^  framehound ${name}\\b`, 'm'));
  const flags = [
    ...optionSets.flatMap((options) => Object.keys(options).map((name) => `--${name}`)),
    ...settingFlags.map(({ word }) => word),
  ];
  const named = text.match(/--[a-z][a-z-]*/g)!;
  assert.deepEqual([...new Set(named)].sort(), [...new Set(flags)].sort());
});

test('the help of everything and of every command is as it was', () => {
  const one = Object.entries(commandTable).map(([name, command]) => [
    `${name}.txt`,
    commandHelp(name, command),
  ]);
  assertGolden('help', { 'help.txt': helpText(), ...Object.fromEntries(one) });
});

test('an option takes a value, and says what it is called, when it is no switch', () => {
  for (const [name, { type, value }] of optionSets.flatMap((options) => Object.entries(options)))
    assert.equal(value !== undefined, type === 'string', name);
});

test('a row holds the options that share it; a usage as long as the row has its text below', () => {
  const text = helpText({
    draw: {
      usage: 'PATH',
      help: 'draws',
      options: {
        force: { type: 'boolean', help: 'again; at most so many' },
        max: { type: 'string', value: 'N', row: 'shared' },
        quiet: { type: 'boolean', row: 'shared, only with it' },
        json: { type: 'boolean' },
      },
      actions: {
        list: { usage: '[list] [--json]', help: 'lists' },
        show: { usage: `ID ${'x'.repeat(20)}`, help: 'no' },
      },
    },
  });
  assert.deepEqual(text.split('\n').slice(2, 7), [
    '  framehound draw PATH              draws',
    '      --force --max N [--quiet]     again; at most so many',
    '  framehound draw [list] [--json]   lists',
    `  framehound draw show ID ${'x'.repeat(20)}`,
    `${' '.repeat(36)}no`,
  ]);
});
