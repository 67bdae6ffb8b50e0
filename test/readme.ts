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
  'npx framehound models use siglip2': 'needs a download; test/cli/commands/models.test.ts has a model',
  'npx framehound takes ~/Footage/film.mp4@75': 'needs a longer film; test/system/takes.test.ts has one',
  'npx framehound roots move': 'needs another drive; test/system/roots.test.ts has folders for it',
  'npx framehound library': 'needs another drive; test/system/roots.test.ts has folders for it',
  'framehound searches follow': 'goes on until it is stopped; test/system/saved-searches.test.ts does it',
  'framehound webhooks deliveries': 'needs the id of a webhook; test/system/webhooks.test.ts has one',
  'npx framehound export timeline': 'needs a list of scenes; test/cli/commands/export.slow.test.ts has one',
  'npx framehound faces': 'needs face models; test/cli/commands/faces.slow.test.ts does without',
  'npx framehound search "blue sky" --person':
    'needs people that have names; test/system/faces.test.ts has them',
  'export FRAMEHOUND_CLUSTER': 'needs PostgreSQL; test/system/cluster.test.ts has it',
  'npx framehound roots add': 'needs footage on a share; test/system/roots.test.ts has folders for it',
  'npx framehound serve --cluster-folder': 'needs PostgreSQL; test/system/cluster.test.ts has it',
  "npx framehound search --filter 'source.camera_model":
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
