// Every command of README.md, as it stands there, in one shell with an empty home and a few files in ~/Footage.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { commandTable } from '../../cli/command-table.ts';
import { clips } from '../actors/decoder/footage/clips.ts';
import { until } from '../until.ts';
import { framehound, SLOW_MS } from './command-line.ts';
import { RATE, writeWav } from './speech-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** Not run here, and why. The key is how the command begins. */
const elsewhere: Readonly<Record<string, string>> = {
  'npm start': 'installs packages; what it starts is the tour, which is run',
  'npm test': 'is what runs this test',
  'npm pack': 'test/release/package.test.ts does it',
  'npm install -g': 'test/release/package.test.ts does it',
  'npx framehound open': 'starts a service that goes on; test/system/open.test.ts does it',
  'npx framehound stop': 'ends that service; test/system/open.test.ts does it',
  'npx framehound models pull': 'needs a download; test/cli/commands/bring-by-hand.test.ts does without',
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

const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
  language,
  text,
}));
const commands = blocks.filter(({ language }) => language === 'bash').flatMap(({ text }) => commandsOf(text));
const reasonOf = (command: string) =>
  Object.entries(elsewhere).find(([beginning]) => command.startsWith(beginning))?.[1];

test('a block of the README says what it is, and what is not run is still there', () => {
  for (const { language, text } of blocks) {
    assert.match(language, /^(bash|ts|json|text)$/, text);
    if (language === 'json') assert.doesNotThrow(() => JSON.parse(text), text);
  }
  for (const beginning of Object.keys(elsewhere))
    assert.ok(
      commands.some((command) => command.startsWith(beginning)),
      beginning,
    );
});

test('npm scripts, commands and options that the text names exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  for (const [, name = ''] of readme.matchAll(/npm (?:run )?(start|test|run [\w-]+)/g))
    assert.ok(name.replace('run ', '') in scripts, name);
  for (const [, name = ''] of readme.matchAll(/`?(?:npx |sudo )framehound (\w+)/g))
    assert.ok(name in commandTable || name === 'help', name);
});

test('the TypeScript of the README compiles against the client', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'framehound-readme-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  // What a program has of its own.
  const given = 'declare const key: string, cache_dir: string, visual_media_paths: string[];\n';
  const examples = blocks.filter(({ language }) => language === 'ts');
  assert.ok(examples.length > 0);
  const files = examples.map(({ text }, n) => {
    writeFileSync(join(folder, `${n}.ts`), given + text);
    return `${n}.ts`;
  });
  const compilerOptions = {
    paths: { 'framehound/client': [join(root, 'http', 'client', 'client.ts')] },
    typeRoots: [join(root, 'node_modules', '@types')],
    noUnusedLocals: false,
  };
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  assert.equal(status, 0, stdout);
});

/** What the README shows below a command. */
function answerOf(command: string): string[] {
  const lines = readme.slice(readme.indexOf(`\n${command}\n`) + command.length + 2).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('  #'));
  return lines.slice(0, end).map((line) => line.replace(/^ {2}# ?/, ''));
}

interface Shell {
  /** What a command printed, and how it ended. */
  run(command: string): Promise<{ readonly code: number; readonly out: string }>;
}

/** A shell as a person has it: what one command sets is there for the next. */
function openShell(t: TestContext, home: string, port: number): Shell {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const program = `exec ${framehound.map((part) => `"${part}"`).join(' ')} "$@"`;
  writeFileSync(join(bin, 'framehound'), `#!/bin/bash\n${program}\n`, { mode: 0o755 });
  writeFileSync(join(bin, 'npx'), `#!/bin/bash\nshift\n${program}\n`, { mode: 0o755 });
  const inherited = Object.entries(process.env).filter(([name]) => !/^(FRAMEHOUND_|npm_|ORT_)/.test(name));
  const env = { ...Object.fromEntries(inherited), HOME: home, FRAMEHOUND_PORT: `${port}` };
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: home,
    env: { ...env, PATH: `${bin}:${process.env['PATH']}` },
  }) as ChildProcessWithoutNullStreams;
  t.after(async () => {
    // The service that one of the commands starts ends before the shell does.
    shell.stdin.end('kill $(jobs -p); wait\n');
    await once(shell, 'close');
  });
  let said = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (text) => {
      said += text;
    });
  }
  let count = 0;
  return {
    run: async (command) => {
      const before = said.length;
      const mark = `::${count++}::`;
      shell.stdin.write(`${command}\nprintf '\\n${mark}%s\\n' $? >&2\n`);
      const ended = await until(() => new RegExp(`${mark}(\\d+)\\n`).exec(said.slice(before)), {
        within: SLOW_MS,
      });
      return { code: Number(ended[1]), out: said.slice(before, before + ended.index) };
    },
  };
}

/** Films, a still, and sound with its subtitles, under the names that the README uses. */
async function footage(folder: string): Promise<void> {
  mkdirSync(folder);
  const film = await clips[0]!.make();
  for (const name of ['street.mp4', 'film.mp4']) copyFileSync(film, join(folder, name));
  const still = sharp({ create: { width: 320, height: 180, channels: 3, background: '#d06020' } });
  await still.jpeg().toFile(join(folder, 'still.jpg'));
  for (const name of ['interview.mp4', 'talk.wav']) {
    const tone = Float32Array.from({ length: 6 * RATE }, (_, i) => 0.3 * Math.sin(i / (8 + name.length)));
    writeWav(join(folder, name), tone);
    const cue = '1\n00:00:00,000 --> 00:00:03,000\nThis street ended at the river.\n';
    writeFileSync(join(folder, `${name.slice(0, -4)}.srt`), cue);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const withoutTools = ['bash', 'curl'].find((tool) => spawnSync(tool, ['--version']).status !== 0);

test('every command of the README works in a fresh home', {
  skip: withoutTools && `needs ${withoutTools}`,
  timeout: 480_000,
}, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'framehound-readme-'));
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  await footage(join(home, 'Footage'));
  const port = await freePort();
  const { run } = openShell(t, home, port);
  const address = `http://localhost:${port}`;
  for (const command of commands) {
    if (reasonOf(command) !== undefined) continue;
    const { code, out } = await run(command.replaceAll('6699', `${port}`));
    assert.equal(code, 0, `${command}\n${out}`);
    assert.doesNotMatch(out, /"error":"|\n {4}at |✗/, `${command}\n${out}`);
    // Texts depend on what else the library has, the tree does not.
    for (const line of answerOf(command)) {
      if (!/^\s*\d\d:\d\d:\d\d–\d\d:\d\d:\d\d {2}\S/.test(line)) continue;
      assert.ok(out.split('\n').includes(line), `${command} does not print "${line}":\n${out}`);
    }
    // A person reads on meanwhile.
    if (/\bserve &/.test(command)) {
      await until(async () => (await run(`curl -sf ${address}/readyz`)).code === 0, { within: SLOW_MS });
    }
    if (command.startsWith('call /analyze')) {
      await until(async () => !/"state":"(running|stopping)"/.test((await run('call /tasks')).out), {
        within: SLOW_MS,
      });
    }
  }
});
