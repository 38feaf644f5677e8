/** Open pages hear that something has changed, over real connections, and hold nobody up. */
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import Koa from 'koa';
import { Changes } from '../../../src/admin/live/changes.ts';
import { EventStreams } from '../../../src/admin/live/event-streams.ts';
import { answerProblems } from '../../../src/http/problem.ts';
import { listen, type ListeningServer } from '../../../src/http/server.ts';
import { ManualClock } from '../../support/manual-clock.ts';

describe('What open pages hear', () => {
  let clock: ManualClock;
  let mark: string;
  let looks: number;
  let isBroken: boolean;
  let streams: EventStreams;
  let server: ListeningServer;

  beforeEach(async () => {
    clock = new ManualClock();
    mark = 'a';
    looks = 0;
    isBroken = false;
    const changes = new Changes({
      clock,
      mark: () => {
        looks += 1;
        return isBroken ? Promise.reject(new Error('no store')) : Promise.resolve(mark);
      },
    });
    streams = new EventStreams({ clock, changes, mostStreams: 2 });
    const app = new Koa();
    app.use(answerProblems(() => undefined));
    app.use((ctx) => streams.serve(ctx));
    server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  });

  afterEach(async () => {
    streams.close();
    await server.close(0);
  });

  const open = async (method = 'GET') => {
    const request = get({ host: '127.0.0.1', port: server.port, path: '/live', method, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    return { response, request, heard: () => text };
  };

  /** Until what the server has written has come. */
  const until = async (isTrue: () => boolean) => {
    for (let tries = 0; tries < 400 && !isTrue(); tries += 1) await sleep(5);
    expect(isTrue()).to.equal(true);
  };

  const events = (heard: () => string) => heard().split('event: changed\ndata:\n\n').length - 1;

  it('is one event a second at the most, without any data', async () => {
    const { response, heard } = await open();
    expect(response.headers).to.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    await until(() => heard() === 'retry: 5000\n\n');
    for (const next of ['b', 'c', 'd']) mark = next;
    await clock.advance(1000);
    await until(() => events(heard) === 1);
    await clock.advance(5000);
    expect(events(heard)).to.equal(1);
    expect(heard().replaceAll('event: changed\ndata:\n\n', '')).to.equal('retry: 5000\n\n');
  });

  it('is a comment every fifteen seconds, for proxies', async () => {
    const { heard } = await open();
    await clock.advance(15_000);
    await clock.advance(15_000);
    await until(() => heard().endsWith(':\n\n:\n\n'));
  });

  it('costs the store nothing while nobody listens', async () => {
    await clock.advance(60_000);
    expect(looks).to.equal(0);
    const { response } = await open();
    await until(() => looks === 1);
    response.destroy();
    await until(() => streams.count === 0);
    await clock.advance(60_000);
    expect(looks).to.equal(1);
  });

  it('outlives a store that cannot be read for a while', async () => {
    const { heard } = await open();
    isBroken = true;
    await clock.advance(1000);
    isBroken = false;
    mark = 'b';
    await clock.advance(5000);
    await until(() => events(heard) === 1);
  });

  it('is refused to more than so many at once, and to a HEAD', async () => {
    await open();
    await open();
    const { response } = await open();
    expect(response.statusCode).to.equal(503);
    expect(response.headers['retry-after']).to.equal('30');
    const head = await open('HEAD');
    expect(streams.count).to.equal(2);
    head.request.destroy();
  });

  it('ends before the listener closes, so that stopping waits for no page', async () => {
    const { response } = await open();
    const ended = once(response, 'end');
    streams.close();
    await ended;
    const began = performance.now();
    await server.close(5000);
    expect(performance.now() - began).to.be.below(4000);
  });

  it('goes on for the others when one does not read', async () => {
    const deaf = await open();
    deaf.response.pause();
    const { heard } = await open();
    for (let n = 0; n < 50; n += 1) {
      mark = `n${n}`;
      await clock.advance(1000);
    }
    await until(() => events(heard) === 50);
  });
});
