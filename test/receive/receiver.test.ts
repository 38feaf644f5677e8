/** The answer table of the receiver, row by row, over real HTTP. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { request } from 'undici';
import type { Verdict } from '../../src/deliver/outcome.ts';
import { LedgerFull, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { callbackWith } from '../support/callbacks.ts';
import { moment } from '../support/moment.ts';
import { RawClient } from '../support/raw-client.ts';
import { DELIVERED, openReceiver, type ReceiverBench } from '../support/receiver-bench.ts';

const CALLBACK = callbackWith();
const JSON_TYPE = { 'content-type': 'application/json' };

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

type Method = 'POST' | 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

interface Sent {
  readonly path?: string;
  readonly method?: Method;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | null;
}

async function send(
  port: number,
  { path = '/callbacks', method = 'POST', headers = JSON_TYPE, body = JSON.stringify(CALLBACK) }: Sent = {},
): Promise<Answer> {
  const url = `http://127.0.0.1:${port}${path}`;
  const answer = await request(url, { method, headers, body: method === 'HEAD' ? null : body });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
  };
}

function expectProblem(answer: Answer, status: number, detail: RegExp): void {
  expect(answer.status).to.equal(status);
  expect(answer.headers['content-type']).to.equal('application/problem+json');
  expect(answer.body['status']).to.equal(status);
  expect(answer.body['title']).to.match(/^[A-Z]/);
  expect(answer.body['detail']).to.match(detail);
  expect(JSON.stringify(answer.body)).not.to.match(/node_modules|\.[jt]s:\d/);
}

describe('the receiver', () => {
  let bench: ReceiverBench;

  beforeEach(async () => {
    bench = await openReceiver();
  });

  /** Whatever a test has sent, the process is alive. */
  afterEach(async () => {
    expect((await send(bench.port, { path: '/healthz', method: 'GET', body: null })).status).to.equal(200);
    await bench.close();
  });

  const reopen = async (...settings: Parameters<typeof openReceiver>) => {
    await bench.close();
    bench = await openReceiver(...settings);
  };

  describe('a callback that was handled', () => {
    it('is answered 200 with its job, the result and how each delivery stands', async () => {
      const answer = await send(bench.port);
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(answer.body).to.deep.equal({
        job_id: 'job-1',
        result: 'delivered',
        deliveries: [{ destination: 'slack:#ops', state: 'delivered' }],
      });
      expect(bench.handled).to.deep.equal([CALLBACK]);
      await bench.reported();
      expect(bench.reports.map(({ status, verdict }) => [status, verdict?.result])).to.deep.equal([
        [200, 'delivered'],
      ]);
    });

    it('is answered 502 with the failed deliveries and Retry-After', async () => {
      const deliveries = [
        { destination: 'slack:#ops', state: 'pending', error: 'channel_not_found' },
      ] as const;
      const verdict: Verdict = {
        ...DELIVERED,
        status: 502,
        result: 'failed',
        deliveries,
      };
      bench.handle = () => Promise.resolve(verdict);
      const answer = await send(bench.port);
      expectProblem(answer, 502, /only those are attempted/);
      expect(answer.headers['retry-after']).to.equal('30');
      expect(answer.body).to.deep.include({ job_id: 'job-1', result: 'failed', deliveries });
    });

    it('is answered 504 when it was not finished in time', async () => {
      bench.handle = () => Promise.resolve({ ...DELIVERED, status: 504, result: 'timed_out' });
      const answer = await send(bench.port);
      expectProblem(answer, 504, /in time/);
      expect(answer.headers['retry-after']).to.equal('30');
    });

    it('is answered 503 when the store is full', async () => {
      bench.handle = () => Promise.reject(new LedgerFull());
      const answer = await send(bench.port);
      expectProblem(answer, 503, /^The store is full\.$/);
      expect(answer.headers['retry-after']).to.equal('30');
    });

    it('is answered 503 when the store cannot be written, without a word of why', async () => {
      bench.handle = () => Promise.reject(new LedgerUnavailable('/var/lib/secret.db is full'));
      const answer = await send(bench.port);
      expectProblem(answer, 503, /^The store cannot be written\.$/);
      expect(answer.headers['retry-after']).to.equal('30');
      expect(bench.unforeseen).to.deep.equal([]);
    });

    it('is answered 503 on an unforeseen error, which goes to the log alone, and its body is kept', async () => {
      const error = new Error('xoxb-secret in /srv/botbell');
      bench.handle = () => Promise.reject(error);
      const answer = await send(bench.port);
      expectProblem(answer, 503, /^Something unforeseen went wrong; the log says what\.$/);
      expect(answer.headers['retry-after']).to.equal('30');
      expect(JSON.stringify(answer)).not.to.contain('xoxb');
      expect(bench.unforeseen).to.deep.equal([error]);
      const [kept] = bench.refused;
      expect([kept?.status, kept?.detail, kept?.errors]).to.deep.equal([503, answer.body['detail'], []]);
      expect(JSON.parse(Buffer.from(kept?.bytes ?? []).toString())).to.deep.equal(CALLBACK);
      await bench.reported();
      expect(bench.reports.map((each) => each.status)).to.deep.equal([503]);
    });

    it('is answered before it is logged', async () => {
      const wasAnswered: boolean[] = [];
      bench.onReport = () => wasAnswered.push(bench.isAnswered());
      await send(bench.port);
      await bench.reported();
      expect(wasAnswered).to.deep.equal([true]);
    });

    it('is handled to its end where the sender breaks off before the answer, which is nobody’s error', async () => {
      const verdict = moment();
      bench.handle = () => verdict.promise.then(() => DELIVERED);
      const client = await RawClient.open(bench.port);
      const json = JSON.stringify(CALLBACK);
      const length = Buffer.byteLength(json);
      client.write(
        `POST /callbacks HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${json}`,
      );
      await bench.begun();
      const cutOff = bench.cutOff();
      client.reset();
      await cutOff;
      verdict.happen();
      await bench.reported();
      expect(bench.reports.map((each) => each.status)).to.deep.equal([200]);
      expect(bench.unforeseen).to.deep.equal([]);
    });
  });

  describe('the content type', () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/json; charset="utf-8"',
      'APPLICATION/JSON; Charset=Utf8',
      'application/json;',
      'application/json; charset=utf-8;',
      'application/json; profile="a;b"',
    ]) {
      it(`may be written ${type}`, async () => {
        expect((await send(bench.port, { headers: { 'content-type': type } })).status).to.equal(200);
      });
    }

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/problem+json',
      'application/json, text/plain',
      'application/jsonp',
      'application/json; charset=shift_jis',
      'application/json; charset=utf-16',
      'application/json; charset="iso-8859-1"',
      'application/json; charset=utf-8; charset=euc-jp',
    ]) {
      it(`${type} is answered 415`, async () => {
        const answer = await send(bench.port, { headers: { 'content-type': type } });
        expectProblem(answer, 415, /application\/json|utf-8/);
        expect(answer.headers['accept']).to.equal('application/json');
        expect(bench.handled).to.deep.equal([]);
      });
    }

    it('that is missing is answered 415', async () => {
      expectProblem(await send(bench.port, { headers: {} }), 415, /Content-Type: application\/json/);
    });
  });

  describe('a body that is no JSON in UTF-8 is answered 400, kept for the operator, and not echoed:', () => {
    const bodies: [string, string | Uint8Array][] = [
      ['broken JSON', '{"job_id": '],
      ['nothing', ''],
      ['bytes that are not UTF-8', Buffer.from('7b2261223a22e3', 'hex')],
      ['Shift_JIS', Buffer.from('7b2261223a2283658358227d', 'hex')],
    ];
    for (const [what, body] of bodies) {
      it(what, async () => {
        const answer = await send(bench.port, { body });
        expectProblem(answer, 400, /./);
        expect(String(answer.body['detail']).length).to.be.lessThan(200);
        expect(bench.refused.map((each) => [each.status, each.from])).to.deep.equal([[400, '127.0.0.1']]);
        expect(Buffer.from(bench.refused[0]?.bytes ?? []).equals(Buffer.from(body))).to.equal(true);
        expect((await send(bench.port)).status).to.equal(200);
      });
    }

    it('and the log is not told what stands in it', async () => {
      await send(bench.port, { body: '{"message": "秘密の "内容""}' });
      await bench.reported();
      expect(bench.reports[0]?.problem).to.equal('not JSON in UTF-8');
    });
  });

  describe('JSON that is no callback is answered 422', () => {
    it('with everything that is wrong at once, by pointer', async () => {
      const answer = await send(bench.port, { body: '{"code":"200","status":9,"start_time":"yesterday"}' });
      expectProblem(answer, 422, /not a callback/);
      const errors = answer.body['errors'] as { pointer: string; detail: string }[];
      expect(errors.map((each) => each.pointer).toSorted()).to.deep.equal([
        '/bot_id',
        '/bot_name',
        '/code',
        '/job_id',
        '/start_time',
        '/status',
      ]);
      expect(bench.refused.map((each) => [each.status, each.errors])).to.deep.equal([[422, errors]]);
      expect(bench.handled).to.deep.equal([]);
      await bench.reported();
      expect(bench.reports[0]?.problem).to.equal('JSON, but not a callback');
    });
  });

  it('tells the log whose body was refused, and where it is wrong', async () => {
    await reopen({ trustProxy: true });
    const headers = { ...JSON_TYPE, 'x-forwarded-for': '192.0.2.7' };
    await send(bench.port, { headers, body: '{"status": 7}' });
    await send(bench.port, { headers, body: 'no JSON' });
    await send(bench.port, { headers: { ...headers, 'content-type': 'text/plain' } });
    await send(bench.port, { headers });
    await nextTurn();
    const [invalid, undecodable, ofOtherType, handled] = bench.reports;
    expect(invalid?.from).to.equal('192.0.2.7');
    expect(invalid?.pointers).to.include.members(['/status', '/job_id']);
    expect([undecodable?.from, undecodable?.pointers]).to.deep.equal(['192.0.2.7', undefined]);
    expect([ofOtherType?.status, ofOtherType?.from]).to.deep.equal([415, '192.0.2.7']);
    expect([handled?.status, handled?.from]).to.deep.equal([200, undefined]);
  });

  describe('who may send', () => {
    it('is anybody where no token is set, at this path alone', async () => {
      for (const path of [
        '/callback',
        '/callbacks/x',
        '/callbacks//x',
        '/callbacks/healthz',
        '/healthz/',
        '/Callbacks',
        '/',
        '/callbacks%2f',
        '//callbacks',
      ]) {
        expectProblem(await send(bench.port, { path }), 404, /^There is nothing here\.$/);
      }
      expect((await send(bench.port, { path: '/callbacks?from=job' })).status).to.equal(200);
    });

    it('is also who adds a slash at the end or doubles one in the middle, as joining URLs does', async () => {
      expect((await send(bench.port, { path: '/callbacks/' })).status).to.equal(200);
      await reopen({ path: '/v1.0/in/callbacks' });
      for (const path of ['/v1.0//in//callbacks', '/v1.0/in/callbacks/?from=job', '/v1.0/in//callbacks/'])
        expect((await send(bench.port, { path })).status, path).to.equal(200);
      for (const path of ['/v1.0/in/callbacks/x', '/v1x0/in/callbacks', '/v1.0/in', '/v1.0///in/callbacks'])
        expect((await send(bench.port, { path })).status, path).to.equal(404);
      await reopen({ path: '/in/callbacks', tokens: ['token'] });
      for (const path of ['/in/callbacks//token', '/in//callbacks/token/', '/in/callbacks/%74oken'])
        expect((await send(bench.port, { path })).status, path).to.equal(200);
      for (const path of [
        '/in/callbacks/',
        '/in//callbacks',
        '/in//callbacks//wrong/',
        '/in/callbacks/token/x',
      ])
        expect((await send(bench.port, { path })).status, path).to.equal(404);
    });

    it('is anybody at a path that ends with a slash, where the config says so', async () => {
      await reopen({ path: '/hook/' });
      expect((await send(bench.port, { path: '/hook/' })).status).to.equal(200);
      expect((await send(bench.port, { path: '/hook' })).status).to.equal(404);
    });

    it('is who knows one of the tokens', async () => {
      await reopen({ tokens: ['old-token', 'new-token'] });
      expect((await send(bench.port, { path: '/callbacks/old-token' })).status).to.equal(200);
      expect((await send(bench.port, { path: '/callbacks/new-token' })).status).to.equal(200);
    });

    it('learns nothing from a wrong token: it is a 404 like any other', async () => {
      await reopen({ tokens: ['token'] });
      const nowhere = await send(bench.port, { path: '/nowhere' });
      expectProblem(nowhere, 404, /^There is nothing here\.$/);
      const paths = [
        '',
        '/',
        '/Token',
        '/toke',
        '/token2',
        '/token/x',
        '/%E0%A4%A',
        '/%',
        '/%00',
        '/../token',
      ];
      for (const path of paths) {
        const answer = await send(bench.port, { path: `/callbacks${path}` });
        expect([answer.status, answer.body], path).to.deep.equal([404, nowhere.body]);
        expect(answer.headers['allow']).to.equal(undefined);
      }
      const get = await send(bench.port, { path: '/callbacks/wrong', method: 'GET', body: null });
      expect(get.status, 'whatever the method').to.equal(404);
      expect(bench.handled).to.deep.equal([]);
      await nextTurn();
      expect(new Set(bench.turnedAway.map(({ problem }) => problem)).size).to.be.at.most(3);
    });

    it('is told to the log where it is turned away, with the address, the reason, and no part of a token', async () => {
      await reopen({ tokens: ['s3cret-right'], path: '/in/callbacks' });
      const away: [string, Method][] = [
        ['/in/callbacks/s3cret-wrong?x=s3cret', 'POST'],
        ['/in/callbacks', 'POST'],
        ['/in/callback/s3cret-right', 'POST'],
        [`/s3cret-right/${'s3cret-right/'.repeat(500)}`, 'POST'],
        ['/in/callbacks/s3cret-right', 'GET'],
        ['/healthz', 'DELETE'],
      ];
      for (const [path, method] of away) await send(bench.port, { path, method, body: null });
      await nextTurn();
      const from = '127.0.0.1';
      const [wrong, missing, misspelt, ...methods] = bench.turnedAway;
      expect([wrong, missing, misspelt]).to.deep.equal([
        { status: 404, from, problem: 'wrong token' },
        { status: 404, from, problem: 'wrong token' },
        { status: 404, from, problem: 'no such path' },
      ]);
      expect(methods.map(({ status, problem }) => [status, problem]).slice(-2)).to.deep.equal([
        [405, 'Only POST is allowed here.'],
        [405, 'Only GET, HEAD is allowed here.'],
      ]);
      expect(JSON.stringify(bench.turnedAway)).not.to.contain('s3cret');
      expect(bench.reports).to.deep.equal([]);
    });

    it('is 403 for addresses that are not allowed', async () => {
      await reopen({ allowFrom: ['192.0.2.0/24', '2001:db8::/32'] });
      expectProblem(await send(bench.port), 403, /not taken from this address/);
      expect(bench.handled).to.deep.equal([]);
      await nextTurn();
      expect(bench.turnedAway).to.deep.equal([
        {
          status: 403,
          from: '127.0.0.1',
          problem: 'Callbacks are not taken from this address.',
        },
      ]);
    });

    it('is whoever is in a network that is allowed', async () => {
      await reopen({ allowFrom: ['10.0.0.0/8', '127.0.0.1'] });
      expect((await send(bench.port)).status).to.equal(200);
    });

    it('is not told by a header, unless a proxy is trusted', async () => {
      await reopen({ allowFrom: ['192.0.2.0/24'] });
      const headers = { ...JSON_TYPE, 'x-forwarded-for': '192.0.2.7' };
      expect((await send(bench.port, { headers })).status).to.equal(403);
    });

    it('is the rightmost address that a trusted proxy has seen', async () => {
      await reopen({ allowFrom: ['192.0.2.0/24', '2001:db8::/32'], trustProxy: true });
      const from = async (address: string) =>
        (await send(bench.port, { headers: { ...JSON_TYPE, 'x-forwarded-for': address } })).status;
      expect(await from('192.0.2.7')).to.equal(200);
      expect(await from('203.0.113.9, 192.0.2.7')).to.equal(200);
      expect(await from('192.0.2.7, 203.0.113.9')).to.equal(403);
      expect(await from('::ffff:192.0.2.7')).to.equal(200);
      expect(await from('2001:db8::1')).to.equal(200);
      expect(await from('192.0.2.7, nonsense')).to.equal(403);
    });

    it('is judged only after the token, so that strangers learn nothing', async () => {
      await reopen({ tokens: ['token'], allowFrom: ['192.0.2.0/24'] });
      expect((await send(bench.port, { path: '/callbacks/wrong' })).status).to.equal(404);
      expect((await send(bench.port, { path: '/callbacks/token' })).status).to.equal(403);
    });
  });

  describe('a method other than POST', () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      it(`(${method}) is answered 405 with Allow`, async () => {
        const answer = await send(bench.port, { method, body: null });
        expect(answer.status).to.equal(405);
        expect(answer.headers['allow']).to.equal('POST');
        if (method !== 'HEAD') expectProblem(answer, 405, /^Only POST is allowed here\.$/);
      });
    }

    it('is 405 with the right token, too', async () => {
      await reopen({ tokens: ['token'] });
      const answer = await send(bench.port, { path: '/callbacks/token', method: 'GET', body: null });
      expectProblem(answer, 405, /POST/);
      expect(answer.headers['allow']).to.equal('POST');
    });
  });

  describe('/healthz', () => {
    it('says that the process is alive, to GET and HEAD', async () => {
      const answer = await send(bench.port, { path: '/healthz', method: 'GET', body: null });
      expect([answer.status, answer.body]).to.deep.equal([200, { status: 'ok' }]);
      expect((await send(bench.port, { path: '/healthz', method: 'HEAD' })).status).to.equal(200);
    });

    it('takes no POST', async () => {
      const answer = await send(bench.port, { path: '/healthz' });
      expectProblem(answer, 405, /GET/);
      expect(answer.headers['allow']).to.equal('GET, HEAD');
    });

    it('needs no token and no address, and is alive while draining', async () => {
      await reopen({ tokens: ['token'], allowFrom: ['192.0.2.0/24'] });
      await bench.loads.drain();
      const answer = await send(bench.port, { path: '/healthz', method: 'GET', body: null });
      expect(answer.status).to.equal(200);
    });
  });

  it('repeats no more than the beginning of a job_id: an answer may wait long for who reads it', async () => {
    const jobId = 'あ'.repeat(20_000);
    const answer = await send(bench.port, { body: JSON.stringify({ ...CALLBACK, job_id: jobId }) });
    expect(answer.status).to.equal(200);
    expect(answer.body['job_id']).to.equal(`${jobId.slice(0, 9999)}…`);
  });

  describe('while shutting down', () => {
    it('answers 503 with Retry-After and finishes what is in flight', async () => {
      const finished = moment();
      bench.handle = () => finished.promise.then(() => DELIVERED);
      const first = send(bench.port);
      await bench.begun();
      let isDrained = false;
      const drained = bench.loads.drain().then(() => void (isDrained = true));
      const late = await send(bench.port);
      expectProblem(late, 503, /shutting down/);
      expect([late.headers['retry-after'], late.headers['connection']]).to.deep.equal(['30', 'close']);
      expect(isDrained).to.equal(false);
      finished.happen();
      await drained;
      expect((await first).status).to.equal(200);
    });
  });
});
