import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import test from 'node:test';
import { protocolOutput } from '../../../cli/commands/mcp.ts';

test('only the protocol reaches standard output; what anybody else prints there goes to standard error', async () => {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const output = protocolOutput(out as never, err as never);
  out.write('a package says hello\n');
  output.write('{"jsonrpc":"2.0"}\n');
  output.end();
  await once(output, 'finish');
  assert.equal(String(out.read()), '{"jsonrpc":"2.0"}\n');
  assert.equal(String(err.read()), 'a package says hello\n');
});

test('a reader that has gone is an error of the output, not of the process', async () => {
  const broken = new PassThrough();
  broken.write = ((_chunk: unknown, _encoding: unknown, done: (error: Error) => void) => {
    done(new Error('EPIPE'));
    return false;
  }) as never;
  const output = protocolOutput(broken as never, new PassThrough() as never);
  const failed = once(output, 'error');
  output.write('x');
  assert.match(String((await failed)[0]), /EPIPE/);
});
