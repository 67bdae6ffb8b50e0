import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ProgressEvent } from '../../events/protocol.ts';
import { serve, type Transport } from '../events/event-server.ts';
import { failure, progress } from '../events/task-events.ts';

const listener = fileURLToPath(new URL('../events/listen.py', import.meta.url));
// The system's own may stand behind another one that lacks the packages.
const python = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import socketio, aiohttp']).status === 0,
);
const skip = python === undefined && 'python3-socketio and python3-aiohttp are not installed';

for (const transport of ['polling', 'websocket'] satisfies Transport[]) {
  test(`the Python client of Socket.IO follows a task over ${transport}`, { skip }, async (t) => {
    const { port, tasks } = await serve(t, { everyMs: 0 });
    tasks.emit('t', progress(10));
    tasks.emit('other', progress(11));
    const child = spawn(String(python), [listener, `http://127.0.0.1:${port}`, transport, 't'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill());
    const exit = once(child, 'exit');
    const events: ProgressEvent[] = [];
    for await (const line of createInterface(child.stdout)) {
      const said = JSON.parse(line) as { answer?: unknown; event?: ProgressEvent };
      if (said.event) events.push(said.event);
      else {
        assert.deepEqual(said.answer, { joined: true });
        tasks.emit('other', progress(12));
        tasks.emit('t', progress(20));
        tasks.emit('t', failure('/damaged é.mp4'));
        tasks.emit('t', { type: 'end', state: 'completed', error: null });
      }
    }
    assert.deepEqual(await exit, [0, null]);
    assert.deepEqual(
      events.map(({ task_id, progress, video_path, error, done }) => [
        task_id,
        progress,
        video_path,
        error,
        done,
      ]),
      [
        ['t', 10, null, undefined, false],
        ['t', 20, null, undefined, false],
        ['t', 20, '/damaged é.mp4', '/damaged é.mp4: cannot be read', false],
        ['t', 100, null, undefined, true],
      ],
    );
  });
}
