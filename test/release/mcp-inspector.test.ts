// The command line of the protocol's own inspector, a program that shares nothing with this one, finds the
// tools over pipes and over HTTP. It is downloaded for the test, and the test is skipped where it cannot be
// had.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { tools } from '../../http/mcp/protocol.ts';
import { framehound } from '../system/command-line.ts';
import { startService } from '../system/service.ts';

const inspector = ['--package=@modelcontextprotocol/inspector@2.12.0', '--', 'mcp-inspector', '--cli'];
const noRegistry =
  /E(NOTFOUND|CONNREFUSED|CONNRESET|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTCACHED|404)\b/;

/** What it prints, as JSON; null where it cannot be had. `home`: where it keeps its own things. */
async function inspect(home: string, ...args: string[]): Promise<unknown> {
  const env = { ...process.env, MCP_CATALOG_PATH: join(home, 'mcp.json'), npm_config_prefer_offline: 'true' };
  const run = promisify(execFile)('npm', ['exec', '--yes', ...inspector, ...args], {
    env,
    cwd: home,
    maxBuffer: 1e8,
  });
  try {
    return JSON.parse((await run).stdout) as unknown;
  } catch (error) {
    if (noRegistry.test(String((error as { stderr?: string }).stderr))) return null;
    throw error;
  }
}

interface Listed {
  readonly tools: readonly { readonly name: string }[];
}

test('the inspector lists the tools and calls one, over pipes and over HTTP', {
  timeout: 280_000,
}, async (t: TestContext) => {
  const service = await startService();
  t.after(() => service.end());
  const { address, key, home } = service;
  const pipes = [...framehound, 'mcp', '-e', `FRAMEHOUND_HOME=${join(home.folder, 'home')}`];
  const http = [`${address}/mcp`, '--header', `Authorization: Bearer ${key}`];
  for (const target of [pipes, http]) {
    const listed = (await inspect(home.folder, ...target, '--method', 'tools/list')) as Listed | null;
    if (listed === null) return t.skip('the package registry is not reached');
    assert.deepEqual(
      listed.tools.map(({ name }) => name),
      tools.map(({ name }) => name),
    );
    const asked = ['--method', 'tools/call', '--tool-name', 'task', '--tool-arg', 'limit=2'];
    const answer = (await inspect(home.folder, ...target, ...asked)) as { content: { text: string }[] };
    assert.equal(answer.content[0]?.text, 'There are no tasks.');
  }
});
