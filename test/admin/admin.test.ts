/** Who may see how the service is, and what they see. */
import { expect } from 'chai';
import type { Readiness } from '../../src/admin/services.ts';
import type { AdminConfig } from '../../src/config/config.ts';
import { type AdminWorld, basic, openAdminWorld } from '../support/admin-world.ts';

const READY: Readiness = { store: true, config: true, accepting: true };

describe('the admin listener', () => {
  let world: AdminWorld;
  let readiness: Readiness;

  const open = async (config: Partial<AdminConfig> = {}) => {
    world = await openAdminWorld({ config, readiness: () => readiness });
  };

  const get = (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    world.ask(`${method} ${path}`, { headers });

  beforeEach(() => {
    readiness = READY;
  });

  afterEach(() => world.close());

  it('says at /healthz that the process is alive', async () => {
    await open();
    expect(await get('/healthz')).to.include({ status: 200, body: '{"status":"ok"}' });
    expect((await get('/healthz', {}, 'HEAD')).status).to.equal(200);
  });

  it('says at /readyz that callbacks are taken, and with 503 what is missing where they are not', async () => {
    await open();
    for (const missing of [undefined, 'store', 'config', 'accepting'] as const) {
      readiness = { ...READY, ...(missing && { [missing]: false }) };
      const { status, json } = await get('/readyz');
      const expected = missing ? [503, 'not ready'] : [200, 'ready'];
      expect([status, json], missing).to.deep.equal([expected[0], { status: expected[1], ...readiness }]);
    }
  });

  it('gives the metrics in Prometheus’ format', async () => {
    await open();
    const { status, headers, body } = await get('/metrics');
    expect([status, headers['content-type']]).to.deep.equal([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(body).to.contain('botbell_build_info{version="1.2.3"} 1');
  });

  describe('on loopback', () => {
    beforeEach(() => open({ hosts: ['Botbell.internal'] }));

    for (const [status, hosts] of [
      [200, ['localhost', 'localhost:8081', '127.0.0.1:1', '[::1]:8081', 'botbell.internal:8081']],
      [403, ['evil.example', 'localhost.evil.example:8081', '10.0.0.1', '127.0.0.1.evil.example']],
    ] as const)
      for (const host of hosts)
        it(`answers ${status} to the name ${host}, as a page of any site may use it`, async () => {
          for (const path of ['/metrics', '/healthz'])
            expect((await get(path, { host })).status, path).to.equal(status);
        });
  });

  it('answers to any name where it listens beyond loopback', async () => {
    await open({ listen: { host: '0.0.0.0', port: 0 }, password: 'secret' });
    expect((await get('/metrics', { host: 'botbell.example', ...basic('admin:secret') })).status).to.equal(
      200,
    );
  });
});
