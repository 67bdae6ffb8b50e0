import assert from 'node:assert/strict';
import test from 'node:test';
import { type Action, commandTable, type Options } from '../../cli/command-table.ts';
import { settingFlags } from '../../cli/commands/completion.ts';
import { commandHelp, groups, helpText } from '../../cli/help.ts';
import { assertGolden } from '../golden.ts';

const withActions = (command: Action): Action[] => [command, ...Object.values(command.actions ?? {})];
const actions = Object.values(commandTable as Record<string, Action>).flatMap(withActions);
const optionSets: Options[] = actions.flatMap(({ options }) => (options ? [options] : []));

const commands = Object.entries(commandTable as Record<string, Action>);

test('the overview names each command once, in at most 40 lines of a terminal', () => {
  const grouped = Object.values(groups).flat();
  assert.deepEqual(grouped.toSorted(), Object.keys(commandTable).sort());
  const lines = helpText().trimEnd().split('\n');
  assert.ok(lines.length <= 40, `${lines.length} lines`);
  for (const line of lines) assert.ok(line.length <= 100, line);
});

test('the help of the commands names every option and every setting, and nothing else', () => {
  const text = commands.map(([name, command]) => commandHelp(name, command)).join('\n');
  const flags = [
    ...optionSets.flatMap((options) => Object.keys(options).map((name) => `--${name}`)),
    ...settingFlags.map(({ word }) => word),
  ];
  const named = text.match(/--[a-z][a-z-]*/g)!;
  assert.deepEqual([...new Set(named)].sort(), [...new Set(flags)].sort());
});

/**
 * The flags of each command and action by its name, as they stand in a help text: in its usage and in the
 * rows below.
 */
function flagsIn(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let flags: string[] = [];
  for (const line of text.split('\n')) {
    const [, name] = /^ {2}framehound ((?:[a-z-]+(?: |$))+)/.exec(line) ?? [];
    if (name !== undefined) {
      flags = found.get(name.trim()) ?? [];
      found.set(name.trim(), flags);
    } else if (!line.startsWith('      ')) flags = [];
    // What stands further right is the text of the row.
    const usage = line[35] === ' ' ? line.slice(0, 36) : line;
    flags.push(...(usage.match(/--[a-z][a-z-]*/g) ?? []));
  }
  return found;
}

test('a flag stands in the help below the command or action that takes it', () => {
  const settings = new Set(settingFlags.map(({ word }) => word));
  for (const [name, command] of commands) {
    const all = Object.entries(command.actions ?? {});
    for (const [shown, flags] of flagsIn(commandHelp(name, command))) {
      // An action that may be left out is shown by the name of its command.
      const meant = all.filter(([word, { usage }]) =>
        shown === name ? usage?.startsWith(`[${word}]`) : shown === `${name} ${word}`,
      );
      const taken = [...(shown === name ? [command] : []), ...meant.map(([, action]) => action)];
      const options = Object.assign({}, ...taken.map((one) => one.options)) as Options;
      for (const flag of flags)
        assert.ok(settings.has(flag) || flag.slice(2) in options, `${shown} does not take ${flag}`);
    }
  }
});

test('the overview and the help of every command are as in the golden files', () => {
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
  const text = commandHelp('draw', {
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
  });
  assert.deepEqual(text.split('\n').slice(0, 5), [
    '  framehound draw PATH              draws',
    '      --force --max N [--quiet]     again; at most so many',
    '  framehound draw [list] [--json]   lists',
    `  framehound draw show ID ${'x'.repeat(20)}`,
    `${' '.repeat(36)}no`,
  ]);
});
