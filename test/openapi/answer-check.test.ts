/** An answer that the documents do not describe fails the test that got it. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { request } from 'undici';
import { type Answer, checkAnswer } from './answer-check.ts';
import { readDocument } from './document.ts';
import { type Watch, watchAnswers } from './watched-answers.ts';

const RECEIVER = readDocument('receiver');
const ADMIN = readDocument('admin');

const PROBLEM = { 'content-type': 'application/problem+json' };
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

const TAKEN = {
  job_id: 'j',
  result: 'delivered',
  deliveries: [{ destination: 'slack:#a', state: 'delivered' }],
};
const FULL = { title: 'Service Unavailable', status: 503, detail: 'The store is full.' };

type Changes = Partial<Omit<Answer, 'body'>> & { readonly body?: unknown };

function answered({ body = TAKEN, ...changes }: Changes = {}): Answer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    method: 'POST',
    path: '/callbacks?a=1',
    status: 200,
    headers: JSON_TYPE,
    ...changes,
    body: Buffer.from(text),
  };
}

describe('an answer', () => {
  for (const [what, changes, seen] of [
    ['of an operation', {}, ['POST /callbacks 200']],
    ['on a path with a variable', { path: '/callbacks/t0ken' }, ['POST /callbacks/{token} 200']],
    [
      'with the headers that it has to have',
      { status: 503, headers: { ...PROBLEM, 'retry-after': '30' }, body: FULL },
      ['POST /callbacks 503'],
    ],
    [
      'to another method',
      {
        method: 'PUT',
        status: 405,
        headers: { ...PROBLEM, allow: 'POST' },
        body: { title: 'Method Not Allowed', status: 405, detail: 'Only POST is allowed here.' },
      },
      ['POST /callbacks 405'],
    ],
    [
      'of no operation’s own',
      {
        status: 431,
        headers: PROBLEM,
        body: { title: 'Request Header Fields Too Large', status: 431, detail: 'Too many.' },
      },
      ['POST /callbacks default'],
    ],
    ['to HEAD, as to GET', { method: 'HEAD', path: '/healthz', body: '' }, ['GET /healthz 200']],
    [
      'to a path that nobody knows',
      {
        path: '/elsewhere',
        status: 404,
        headers: PROBLEM,
        body: { title: 'Not Found', status: 404, detail: 'There is nothing here.' },
      },
      [],
    ],
  ] as const satisfies readonly (readonly [string, Changes, readonly string[]])[]) {
    it(`${what} is described`, () => {
      expect(checkAnswer(RECEIVER, answered(changes))).to.deep.equal({ faults: [], seen });
    });
  }

  for (const [what, changes, fault] of [
    ['with a field that nobody has described', { body: { ...TAKEN, secret: 'x' } }, /additional properties/],
    ['without a field', { body: { job_id: 'j', deliveries: [] } }, /'result'/],
    ['with a word that is not in the list', { body: { ...TAKEN, result: 'failed' } }, /allowed values/],
    ['of another content type', { headers: { 'content-type': 'text/html' } }, /no content text\/html/],
    ['in another charset', { headers: { 'content-type': 'application/json; charset=latin1' } }, /charset/],
    ['with a status that is not there', { status: 202 }, /no content|default|202|allowed values/],
    ['without a header', { status: 503, headers: PROBLEM, body: FULL }, /no header retry-after/],
    [
      'with another value of a header',
      { status: 503, headers: { ...PROBLEM, 'retry-after': '5' }, body: FULL },
      /header retry-after: .*constant/,
    ],
    [
      'with a header of other answers',
      { headers: { ...JSON_TYPE, 'retry-after': '30' } },
      /no header retry-after/,
    ],
    [
      'that says another status than it has',
      { status: 502, headers: { ...PROBLEM, 'retry-after': '30' }, body: FULL },
      /answered 502 and says 503/,
    ],
    ['to another method that succeeds', { method: 'PUT' }, /no PUT here/],
    [
      'that allows other methods than there are',
      {
        method: 'PUT',
        status: 405,
        headers: { ...PROBLEM, allow: 'GET, HEAD' },
        body: { title: 'Method Not Allowed', status: 405, detail: 'Only GET, HEAD is allowed here.' },
      },
      /has POST/,
    ],
    ['of a path that is not there', { path: '/elsewhere' }, /no such path/],
    ['to HEAD, with a body', { method: 'HEAD', path: '/healthz', body: { status: 'ok' } }, /has a body/],
  ] as const satisfies readonly (readonly [string, Changes, RegExp])[]) {
    it(`${what} is not`, () => {
      expect(checkAnswer(RECEIVER, answered(changes)).faults.join('\n')).to.match(fault);
    });
  }

  it('of the page is not looked at, but one below /api is', () => {
    const html = { method: 'GET', headers: { 'content-type': 'text/html' }, body: '<p>' };
    expect(checkAnswer(ADMIN, answered({ ...html, path: '/callbacks' })).faults).to.deep.equal([]);
    expect(checkAnswer(ADMIN, answered({ ...html, path: '/api/elsewhere' })).faults).not.to.deep.equal([]);
  });
});

describe('a watched listener', () => {
  let server: Server;
  let watch: Watch | undefined;
  let body: unknown;

  beforeEach(async () => {
    body = { status: 'ok' };
    server = createServer((_request, response) => {
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    watch?.stop();
    server.close();
    server.closeAllConnections();
  });

  const port = () => (server.address() as AddressInfo).port;

  const messageOf = async (asked: Promise<unknown>) =>
    asked.then(
      () => 'it was taken',
      (error: unknown) => String(error),
    );

  it('has what was seen of it counted', async () => {
    watch = watchAnswers('receiver', port());
    await (await request(`http://127.0.0.1:${port()}/healthz`)).body.json();
    expect([...watch.seen]).to.deep.equal(['GET /healthz 200']);
  });

  it('fails whoever asks it and gets what is not described', async () => {
    body = { status: 'fine' };
    const ask = async () => (await request(`http://127.0.0.1:${port()}/healthz`)).body.text();
    expect(await messageOf(ask())).to.equal('it was taken');
    watch = watchAnswers('receiver', port());
    expect(await messageOf(ask())).to.include(
      'receiver.yaml does not describe the answer 200 to GET /healthz',
    );
    watch.stop();
    expect(await messageOf(ask())).to.equal('it was taken');
  });

  it('may have its callbacks elsewhere than the document', async () => {
    watch = watchAnswers('receiver', port(), '/hooks');
    body = TAKEN;
    await (await request(`http://127.0.0.1:${port()}/hooks/t`, { method: 'POST' })).body.json();
    expect([...watch.seen]).to.deep.equal(['POST /callbacks/{token} 200']);
  });
});
