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

  it('says at /readyz that callbacks are taken', async () => {
    await open();
    const { status, body } = await get('/readyz');
    expect([status, JSON.parse(body)]).to.deep.equal([200, { status: 'ready', ...READY }]);
  });

  for (const missing of ['store', 'config', 'accepting'] as const) {
    it(`answers 503 at /readyz and names ${missing} when that is missing`, async () => {
      await open();
      readiness = { ...READY, [missing]: false };
      const { status, body } = await get('/readyz');
      expect([status, JSON.parse(body)]).to.deep.equal([
        503,
        { status: 'not ready', ...READY, [missing]: false },
      ]);
    });
  }

  it('gives the metrics in Prometheus’ format', async () => {
    await open();
    const { status, headers, body } = await get('/metrics');
    expect([status, headers['content-type']]).to.deep.equal([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(body).to.contain('botbell_build_info{version="1.2.3"} 1');
  });

  it('answers 404 elsewhere', async () => {
    await open();
    expect((await get('/nowhere')).status).to.equal(404);
  });

  describe('on loopback', () => {
    beforeEach(() => open({ hosts: ['Botbell.internal'] }));

    it('answers to loopback names and to those that the config names', async () => {
      for (const host of [
        'localhost',
        'localhost:8081',
        '127.0.0.1:1',
        '[::1]:8081',
        'botbell.internal:8081',
      ]) {
        expect((await get('/metrics', { host })).status, host).to.equal(200);
      }
    });

    it('answers 403 to any other name, as a page of another site would use it', async () => {
      for (const host of [
        'evil.example',
        'localhost.evil.example:8081',
        '10.0.0.1',
        '127.0.0.1.evil.example',
      ]) {
        expect((await get('/metrics', { host })).status, host).to.equal(403);
        expect((await get('/healthz', { host })).status, host).to.equal(403);
      }
    });
  });

  it('answers to any name where it listens beyond loopback', async () => {
    await open({ listen: { host: '0.0.0.0', port: 0 }, password: 'secret' });
    expect((await get('/metrics', { host: 'botbell.example', ...basic('admin:secret') })).status).to.equal(
      200,
    );
  });
});
