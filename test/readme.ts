// The pages for users whose commands and programs the tests run: README.md and docs/guide.md.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
export const readme = ['README.md', 'docs/guide.md']
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

/** Commands that the test of all commands does not run, and why. The key is how the command begins. */
export const elsewhere: Readonly<Record<string, string>> = {
  'npm start': 'installs packages; what it starts is the tour, which is run',
  'npx framehound open': 'starts a service that goes on; test/system/open.test.ts does it',
  'npx framehound stop': 'ends that service; test/system/open.test.ts does it',
  'npx framehound models pull': 'needs a download; test/cli/commands/manual-download.test.ts does without',
  'npx framehound export timeline': 'needs a list of scenes; test/cli/commands/export.slow.test.ts has one',
  'npx framehound faces': 'needs face models; test/cli/commands/faces.slow.test.ts does without',
  'npx framehound search "outdoors" --person':
    'needs people that have names; test/system/faces.test.ts has them',
  'npx framehound transcript name':
    'needs two voices; test/system/speech-from-subtitles.test.ts has recorded ones',
};

/** The commands of a block, each with the lines that continue it; printed answers are left out. */
function commandsOf(block: string): string[] {
  const commands: string[] = [];
  for (const line of block.split('\n')) {
    if (/^ *#/.test(line) || line.trim() === '') continue;
    if (/^\s/.test(line)) commands[commands.length - 1] += `\n${line}`;
    else commands.push(line);
  }
  return commands;
}

export const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(
  ([, language = '', text = '']) => ({
    language,
    text,
  }),
);
export const commands = blocks
  .filter(({ language }) => language === 'bash')
  .flatMap(({ text }) => commandsOf(text));
export const reasonOf = (command: string) =>
  Object.entries(elsewhere).find(([beginning]) => command.startsWith(beginning))?.[1];
