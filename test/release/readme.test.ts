// Every command of README.md and docs/guide.md, as printed there, in one shell with an empty home and a few
// files in ~/Footage.
import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import sharp from 'sharp';
import { clips } from '../actors/decoder/footage/clips.ts';
import { commands, readme, reasonOf } from '../readme.ts';
import { framehound, SLOW_MS } from '../system/command-line.ts';
import { freePort } from '../system/guarded-service.ts';
import { RATE, writeWav } from '../system/speech-files.ts';
import { until } from '../until.ts';

/** The output that the page shows below a command. */
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
  const env = {
    ...Object.fromEntries(inherited),
    HOME: home,
    FRAMEHOUND_PORT: `${port}`,
    FRAMEHOUND_SIGHT: 'off',
  };
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
      const end = () => new RegExp(`${mark}(\\d+)\\n`).exec(said.slice(before));
      const ended = await until(end, { within: SLOW_MS }).catch((error: unknown) =>
        assert.fail(`${command} has not ended: ${error}\n${said.slice(before)}`),
      );
      return { code: Number(ended[1]), out: said.slice(before, before + ended.index) };
    },
  };
}

/** Films, a still, and sound with its subtitles, under the names that the pages use. */
async function footage(folder: string): Promise<void> {
  mkdirSync(folder);
  const film = await clips[0]!.make();
  for (const name of ['street.mp4', 'film.mp4']) copyFileSync(film, join(folder, name));
  const still = sharp({ create: { width: 320, height: 180, channels: 3, background: '#d06020' } });
  for (const name of ['still.jpg', 'harbour.jpg']) await still.jpeg().toFile(join(folder, name));
  for (const name of ['interview.mp4', 'talk.wav']) {
    const tone = Float32Array.from({ length: 6 * RATE }, (_, i) => 0.3 * Math.sin(i / (8 + name.length)));
    writeWav(join(folder, name), tone);
    const cue = '1\n00:00:00,000 --> 00:00:03,000\nThis street ended at the river.\n';
    writeFileSync(join(folder, `${name.slice(0, -4)}.srt`), cue);
  }
}

const withoutTools = ['bash', 'curl'].find((tool) => spawnSync(tool, ['--version']).status !== 0);

test('every command of the README and the guide works in a fresh home', {
  skip: withoutTools && `needs ${withoutTools}`,
  timeout: 480_000,
}, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'framehound-readme-'));
  const port = await freePort();
  const { run } = openShell(t, home, port);
  // After the service of the shell has ended, which writes into it.
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  await footage(join(home, 'Footage'));
  const address = `http://localhost:${port}`;
  for (const command of commands) {
    if (reasonOf(command) !== undefined) continue;
    // A service makes the output of its shell non-blocking, and curl cannot write a long answer there.
    const apart = command.replace(/\bserve &/, 'serve >serve.log 2>&1 &').replaceAll('6699', `${port}`);
    const { code, out } = await run(apart);
    assert.equal(code, 0, `${command}\n${out}`);
    assert.doesNotMatch(out, /"error":"|\n {4}at |✗/, `${command}\n${out}`);
    // Texts depend on what else the library has, the tree of a summary does not.
    for (const line of command.includes('framehound summary') ? answerOf(command) : []) {
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
