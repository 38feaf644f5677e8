import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { request } from 'undici';
import type { ReceiverConfig } from '../../src/config/config.ts';
import type { Verdict } from '../../src/deliver/outcome.ts';
import { OperationFailed } from '../../src/ledger/failures.ts';
import { LedgerFull, LedgerUnavailable } from '../../src/ledger/ledger.ts';
import { callbackWith } from '../support/callbacks.ts';
import { moment } from '../support/moment.ts';
import { faultIn } from '../support/openapi.ts';
import { RawClient } from '../support/raw-client.ts';
import { type Answer, DELIVERED, expectProblem, openReceiver, post } from './receiver-bench.ts';
import type { ReceiverBench } from './receiver-bench.ts';

const CALLBACK = callbackWith();
const HELD = [
  { destination: 'slack:#night', state: 'held', rule: 'mute', until: '2026-11-20T22:00:00.000Z' },
  { destination: 'slack:#rare', state: 'held', rule: 'when' },
] as const;
const VERDICT: Verdict = { ...DELIVERED, deliveries: [...DELIVERED.deliveries, ...HELD] };
const JSON_TYPE = { 'content-type': 'application/json' };

type Method = 'POST' | 'GET' | 'HEAD' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

interface Sent {
  readonly path?: string;
  readonly method?: Method;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

describe('the receiver', () => {
  let bench: ReceiverBench;

  const send = async (sent: Sent = {}): Promise<Answer> => {
    const { path = '/callbacks', method = 'POST', headers = JSON_TYPE } = sent;
    const { body = JSON.stringify(CALLBACK) } = sent;
    const url = `http://127.0.0.1:${bench.port}${path}`;
    const answer = await request(url, { method, headers, body: method === 'POST' ? body : null });
    return { status: answer.statusCode, headers: answer.headers, body: await answer.body.text() };
  };
  beforeEach(async () => void (bench = await openReceiver()));

  /** Whatever a test has sent, the process is alive. */
  afterEach(async () => {
    expect((await send({ path: '/healthz', method: 'GET' })).status).to.equal(200);
    await bench.close();
  });

  const reopen = async (...settings: Parameters<typeof openReceiver>) => {
    await bench.close();
    bench = await openReceiver(...settings);
  };

  describe('a callback that was handled', () => {
    it('is answered 200 with its job, the result and how each delivery stands', async () => {
      bench.handle = () => Promise.resolve(VERDICT);
      const begun = performance.now();
      const answer = await send();
      expect(answer.status).to.equal(200);
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
      const { result, deliveries } = VERDICT;
      const json = JSON.parse(answer.body) as Record<string, unknown>;
      expect(json).to.deep.equal({ job_id: 'job-1', result, deliveries });
      expect(faultIn('POST /callbacks', { ...answer, json })).to.equal(undefined);
      expect(bench.handled).to.deep.equal([CALLBACK]);
      await bench.reported();
      expect(bench.reports[0]?.durationMs, 'ms').to.be.within(0, performance.now() - begun);
      const reported = bench.reports.map(({ status, verdict, from }) => [status, verdict?.result, from]);
      expect(reported).to.deep.equal([[200, 'delivered', undefined]]);
    });

    it('has given its memory back, as each that was refused has', async () => {
      await reopen({ maxBodyBytes: 8 * 1024 * 1024 });
      const large = (text: string) => send({ body: text.padEnd(8 * 1024 * 1024 - 1000) });
      for (let count = 0; count < 3; count += 1) expect((await large('{')).status).to.equal(400);
      const [both, finished] = [moment(), moment()];
      bench.handle = () => {
        if (bench.handled.length === 2) both.happen();
        return finished.promise.then(() => DELIVERED);
      };
      const first = [1, 2].map(() => large(JSON.stringify(CALLBACK)));
      await both.promise;
      bench.handle = () => Promise.resolve(DELIVERED);
      const next = await send({ body: JSON.stringify(CALLBACK).padEnd(65 * 1024) });
      finished.happen();
      const answers = [next, ...(await Promise.all(first))];
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    });

    it('is answered 502 with the failed deliveries', async () => {
      const deliveries = [{ destination: 'slack:#ops', state: 'pending', error: 'no' }, ...HELD] as const;
      const verdict: Verdict = { ...DELIVERED, status: 502, result: 'failed', deliveries };
      bench.handle = () => Promise.resolve(verdict);
      const answer = await send();
      const problem = expectProblem(answer, 502, /^Some deliveries failed\. .* only those are attempted/);
      expect(problem).to.deep.include({ job_id: 'job-1', result: 'failed', deliveries });
      expect(answer.headers['retry-after']).to.equal('30');
    });

    const late: Verdict = { ...DELIVERED, status: 504, result: 'timed_out' };
    const unusable = new LedgerUnavailable('/var/lib/secret.db is full');
    for (const [when, status, detail, outcome] of [
      ['it was not finished in time', 504, /in time/, late],
      ['the store is full', 503, /^The store is full\.$/, new LedgerFull()],
      ['the disk is full', 503, /^The store is full\.$/, unusable],
      ['the store is locked', 503, /^The store is locked\.$/, new LedgerUnavailable('database is locked')],
    ] as const)
      it(`is answered ${status} with Retry-After where ${when}`, async () => {
        bench.handle = () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome));
        const answer = await send();
        expectProblem(answer, status, detail);
        expect(answer.headers['retry-after']).to.equal('30');
        expect([bench.unforeseen, bench.refused]).to.deep.equal([[], []]);
        await bench.reported();
        const cause = outcome instanceof Error ? outcome.message : 'attempted.';
        expect(bench.reports[0]?.problem, 'what the log says').to.match(new RegExp(`${cause}$`));
      });

    for (const error of [new Error('xoxb-secret in /srv'), new OperationFailed('xoxb-secret: no column')])
      it(`is answered 503 on an unforeseen error, which goes to the log alone, and its body is kept: ${error.name}`, async () => {
        bench.handle = () => Promise.reject(error);
        const answer = await send();
        const problem = expectProblem(answer, 503, /^Something unforeseen went wrong; the log says what\.$/);
        expect(answer.headers['retry-after']).to.equal('30');
        expect(JSON.stringify(answer)).not.to.contain('xoxb');
        expect(bench.unforeseen).to.deep.equal([error]);
        const [kept] = bench.refused;
        expect([kept?.status, kept?.detail, kept?.errors]).to.deep.equal([503, problem['detail'], []]);
        expect(JSON.parse(Buffer.from(kept?.bytes ?? []).toString())).to.deep.equal(CALLBACK);
      });

    it('is handled to its end where the sender breaks off before the answer, which is nobody’s error', async () => {
      const verdict = moment();
      bench.handle = () => verdict.promise.then(() => DELIVERED);
      const client = await RawClient.open(bench.port);
      client.write(post(Buffer.from(JSON.stringify(CALLBACK))));
      await bench.begun();
      const cutOff = bench.cutOff();
      client.reset();
      await cutOff;
      verdict.happen();
      await bench.reported();
      expect([bench.reports.map((each) => each.status), bench.unforeseen]).to.deep.equal([[200], []]);
    });
  });

  it('takes a content type that says JSON in UTF-8 in any way', async () => {
    for (const more of ['', ';', '; charset=utf-8', ';Charset=Utf8', '; charset="utf-8";', '; profile="a;b"'])
      for (const type of ['application/json', 'APPLICATION/JSON'])
        expect((await send({ headers: { 'content-type': type + more } })).status, more).to.equal(200);
  });

  it('answers 415 to any other content type, and tells of it, though it reads nothing of the body', async () => {
    const charsets = ['shift_jis', 'utf-16', '"iso-8859-1"', 'utf-8; charset=euc-jp'];
    const types = ['text/plain', 'application/problem+json', 'application/json, text/plain'];
    const wrong = [...types, ...charsets.map((charset) => `application/json; charset=${charset}`), undefined];
    for (const type of wrong) {
      const answer = await send({ headers: type === undefined ? {} : { 'content-type': type } });
      expectProblem(answer, 415, /application\/json|utf-8/);
      const { accept, connection } = answer.headers;
      expect([accept, connection]).to.deep.equal(['application/json', 'close']);
    }
    const refused = bench.refused.map(({ status, bytes }) => [status, bytes.byteLength]);
    expect([refused, bench.handled]).to.deep.equal([wrong.map(() => [415, 0]), []]);
  });

  it('answers 400 to what is no JSON in UTF-8, keeps it for the operator, and repeats nothing of it', async () => {
    const bodies: [string, string | Uint8Array][] = [
      ['broken JSON', '{"message": "秘密の "内容""}'],
      ['nothing', ''],
      ['bytes that are not UTF-8', Buffer.from('7b2261223a22e3', 'hex')],
      ['Shift_JIS', Buffer.from('7b2261223a2283658358227d', 'hex')],
    ];
    for (const [what, body] of bodies) {
      expectProblem(await send({ body }), 400, /^.{1,199}$/);
      const kept = bench.refused.at(-1);
      expect([kept?.status, kept?.from], what).to.deep.equal([400, '127.0.0.1']);
      expect(Buffer.from(kept?.bytes ?? []).equals(Buffer.from(body)), what).to.equal(true);
    }
    await nextTurn();
    const reasons = new Set(bench.reports.map(({ problem }) => problem));
    expect(reasons, 'for the log').to.deep.equal(new Set(['not JSON in UTF-8']));
  });

  it('answers 422 to JSON that is no callback, with everything that is wrong at once, by pointer', async () => {
    await reopen({ trustProxy: true });
    const headers = { ...JSON_TYPE, 'x-forwarded-for': '192.0.2.7' };
    const answer = await send({ headers, body: '{"code":"200","status":9,"start_time":"yesterday"}' });
    const problem = expectProblem(answer, 422, /not a callback/);
    const errors = problem['errors'] as { pointer: string; detail: string }[];
    const pointers = errors.map((each) => each.pointer).toSorted();
    expect(pointers).to.deep.equal(['/bot_id', '/bot_name', '/code', '/job_id', '/start_time', '/status']);
    expect(bench.refused.map((each) => [each.status, each.errors])).to.deep.equal([[422, errors]]);
    expect(bench.handled).to.deep.equal([]);
    await bench.reported();
    const [{ problem: said, from, pointers: wrong } = {}] = bench.reports;
    expect([said, from]).to.deep.equal(['JSON, but not a callback', '192.0.2.7']);
    expect(wrong).to.have.members(pointers);
  });

  it('answers 413 to a callback of more values than max_nodes, and keeps it for the operator', async () => {
    await reopen({ maxNodes: 5 });
    expectProblem(await send(), 413, /holds more than 5 JSON values/);
    expect([bench.refused.map(({ status }) => status), bench.handled]).to.deep.equal([[413], []]);
  });

  describe('who may send', () => {
    /** By the settings: paths of the receiver, and others. */
    const PATHS: [Partial<ReceiverConfig>, found: string, others: string][] = [
      [
        {},
        '/callbacks /callbacks/ //callbacks /callbacks?from=job',
        '/ /callback /callbacks/x /callbacks//x /callbacks/healthz /healthz/ /Callbacks /callbacks%2f ///callbacks',
      ],
      [
        { path: '/v1.0/in/callbacks' },
        '/v1.0//in//callbacks /v1.0/in/callbacks/?from=job /v1.0/in//callbacks/',
        '/v1.0/in/callbacks/x /v1x0/in/callbacks /v1.0/in /v1.0///in/callbacks',
      ],
      [
        { path: '/in/callbacks', tokens: ['old', 'token'] },
        '/in/callbacks/old /in/callbacks//token /in//callbacks/token/ /in/callbacks/%74oken',
        '/in/callbacks/ /in//callbacks /in//callbacks//wrong/ /in/callbacks/token/x /in/callbacks/Token /in/callbacks/toke /in/callbacks/token2 /in/callbacks/%E0%A4%A /in/callbacks/% /in/callbacks/%00 /in/callbacks/../token',
      ],
      [{ path: '/hook/' }, '/hook/', '/hook'],
    ];
    for (const [settings, found, others] of PATHS)
      it(`is who knows path and token, also who adds a slash or doubles one; others learn nothing: ${found}`, async () => {
        await reopen(settings);
        const nowhere = await send({ path: '/nowhere' });
        expectProblem(nowhere, 404, /^There is nothing here\.$/);
        for (const path of found.split(' ')) expect((await send({ path })).status, path).to.equal(200);
        const handled = bench.handled.length;
        for (const path of others.split(' ')) {
          const { status, body, headers } = await send({ path });
          expect([status, body, headers['allow']], path).to.deep.equal([404, nowhere.body, undefined]);
        }
        expect(bench.handled).to.have.length(handled);
      });

    it('is told to the log where it is turned away, with the address, the reason, and no part of a token', async () => {
      await reopen({ tokens: ['s3cret-right'], path: '/in/callbacks' });
      const away: [Method, path: string, said: string][] = [
        ['POST', '/in/callbacks/s3cret-wrong?x=s3cret', '404 127.0.0.1 wrong token'],
        ['POST', '/in/callbacks', '404 127.0.0.1 wrong token'],
        ['POST', '/in/callback/s3cret-right', '404 127.0.0.1 no such path'],
        ['POST', `/s3cret-right/${'s3cret-right/'.repeat(500)}`, '404 127.0.0.1 no such path'],
        ['GET', '/in/callbacks/s3cret', '404 127.0.0.1 wrong token'],
        ['GET', '/in/callbacks/s3cret-right', '405 127.0.0.1 Only POST is allowed here.'],
        ['DELETE', '/healthz', '405 127.0.0.1 Only GET, HEAD is allowed here.'],
      ];
      for (const [method, path] of away) await send({ path, method });
      await nextTurn();
      const told = bench.turnedAway.map(({ status, from, problem }) => `${status} ${from} ${problem}`);
      expect(told).to.deep.equal(away.map(([, , said]) => said));
      expect(JSON.stringify(bench.turnedAway)).not.to.contain('s3cret');
      expect(bench.reports).to.deep.equal([]);
    });

    it('is who sends from an address that is allowed; others are answered 403, after the token alone', async () => {
      await reopen({ allowFrom: ['10.0.0.0/8', '127.0.0.1'] });
      expect((await send()).status).to.equal(200);
      await reopen({ tokens: ['token'], allowFrom: ['192.0.2.0/24', '2001:db8::/32'] });
      const headers = { ...JSON_TYPE, 'x-forwarded-for': '192.0.2.7' };
      expectProblem(await send({ path: '/callbacks/token', headers }), 403, /not taken from this address/);
      expect((await send({ path: '/callbacks/wrong' })).status, 'strangers learn nothing').to.equal(404);
      expect(bench.handled).to.deep.equal([]);
      await nextTurn();
      const problem = 'Callbacks are not taken from this address.';
      expect(bench.turnedAway[0]).to.deep.equal({ status: 403, from: '127.0.0.1', problem });
      await reopen({ allowFrom: ['192.0.2.0/24'], trustProxy: true });
      expect((await send({ headers })).status, 'whom the proxy has seen').to.equal(200);
    });
  });

  it('answers 405 with Allow to any method but POST, with the right token, too', async () => {
    await reopen({ tokens: ['token'] });
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      const answer = await send({ path: '/callbacks/token', method });
      expect([answer.status, answer.headers['allow']], method).to.deep.equal([405, 'POST']);
      if (method !== 'HEAD') expectProblem(answer, 405, /^Only POST is allowed here\.$/);
    }
  });

  it('says at /healthz that it is alive, without token or address, also while it drains', async () => {
    await reopen({ tokens: ['token'], allowFrom: ['192.0.2.0/24'] });
    await bench.loads.drain();
    const answer = await send({ path: '/healthz', method: 'GET' });
    expect([answer.status, answer.body]).to.deep.equal([200, '{"status":"ok"}']);
    expect((await send({ path: '/healthz', method: 'HEAD' })).status).to.equal(200);
    const posted = await send({ path: '/healthz' });
    expectProblem(posted, 405, /GET/);
    expect(posted.headers['allow']).to.equal('GET, HEAD');
    await nextTurn();
    expect(bench.turnedAway.map(({ status }) => status)).to.deep.equal([405]);
  });

  it('repeats no more than the beginning of a job_id: an answer may wait long for who reads it', async () => {
    const jobId = 'あ'.repeat(20_000);
    const answer = await send({ body: JSON.stringify({ ...CALLBACK, job_id: jobId }) });
    expect(answer.status).to.equal(200);
    expect(JSON.parse(answer.body)).to.have.property('job_id', `${jobId.slice(0, 9999)}…`);
  });

  it('answers 503 with Retry-After while it shuts down', async () => {
    await bench.loads.drain();
    const late = await send();
    expectProblem(late, 503, /shutting down/);
    expect([late.headers['retry-after'], late.headers['connection']]).to.deep.equal(['30', 'close']);
    await bench.reported();
    expect(bench.reports[0]?.problem).to.equal('Botbell is shutting down.');
  });
});
