/** The built program sends heartbeats, and neither waits for its watcher nor shows where it is. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from 'undici';
import { serve, type ServeProcess } from '../support/process.ts';
import { until } from '../support/proof-wait.ts';
import { IS_FULL } from '../support/test-size.ts';

const PATH = '/ping/5e0a-SECRET-OF-THE-WATCHER';

describe('the built program, watched', () => {
  let folder: string;
  let file: string;
  let watcher: Server;
  let heard: string;
  let react: (socket: Socket) => void;
  let botbell: ServeProcess;

  const start = async (reaction: (socket: Socket) => void) => {
    react = reaction;
    botbell = await serve(file, { CHECK: PATH }, { serveArguments: ['--log-level', 'debug'] });
  };

  beforeEach(async () => {
    heard = '';
    watcher = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          heard += chunk.toString();
          react(socket);
        });
    }).listen(0, '127.0.0.1');
    await once(watcher, 'listening');
    folder = mkdtempSync(join(tmpdir(), 'botbell-heartbeat-'));
    file = join(folder, 'botbell.yaml');
    writeFileSync(
      file,
      `
receiver: { listen: '127.0.0.1:0' }
admin: { listen: '127.0.0.1:0' }
store: { url: 'sqlite:${folder}/botbell.db' }
heartbeat: { url: 'http://127.0.0.1:${(watcher.address() as AddressInfo).port}\${CHECK}', every: 1s }
channels: { slack: { type: outbox, as: slack } }
default_route: { notify: [{ slack: '#ops' }] }
`,
    );
  });

  afterEach(async () => {
    botbell.kill('SIGKILL');
    await botbell.exited();
    watcher.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('ends at once when it is told to, while its watcher says nothing', async () => {
    await start(() => undefined);
    await until('the heartbeat', () => heard.includes('GET'));
    const toldAt = performance.now();
    botbell.kill('SIGTERM');
    expect(await botbell.exited()).to.equal(0);
    if (IS_FULL) expect(performance.now() - toldAt).to.be.lessThan(8000);
    expect(heard).to.include(`GET ${PATH} HTTP/1.1`);
  });

  it('shows no part of the URL in log, page and metrics, says once that it fails, and when it is taken', async () => {
    await start((socket) => socket.destroy());
    await until('the heartbeat', () => botbell.log().includes('the heartbeat fails'));
    react = (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n');
    await until('one that is taken', () => botbell.log().includes('the heartbeat is taken'));
    const shown = await Promise.all(
      ['/metrics', '/config'].map(async (path) => {
        const { body } = await request(`${botbell.adminUrl}${path}`);
        return body.text();
      }),
    );
    expect(shown[1]).to.include('heartbeat');
    expect([botbell.log(), ...shown].join('')).not.to.include('SECRET');
    expect(botbell.log().split('the heartbeat fails')).to.have.length(2);
  });
});
