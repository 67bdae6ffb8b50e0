import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { jsonLines } from '../../../http/mcp/json-lines.ts';

test('a line that is not JSON is answered, and the others are passed on', async () => {
  const output = new PassThrough();
  const lines = jsonLines(output);
  const passed = text(lines);
  for (const part of ['{"id":1}\n{"id', '":2}\nnot JSON\n\n', '7\r\n{"id":3}\r\n', '{"cut'])
    lines.write(part);
  lines.end();
  assert.equal(await passed, '{"id":1}\n{"id":2}\n{"id":3}\r\n');
  output.end();
  const answers = (await text(output)).trim().split('\n');
  assert.deepEqual(
    answers.map((answer) => JSON.parse(answer)),
    [
      { code: -32700, message: 'Parse error: the line is not JSON' },
      { code: -32600, message: 'Invalid request: the line is not a message of JSON-RPC' },
    ].map((error) => ({ jsonrpc: '2.0', id: null, error })),
  );
});
