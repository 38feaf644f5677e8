/** Errors become problem details (RFC 9457), and only what may be said is said. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import Koa from 'koa';
import { request } from 'undici';
import { answerProblems, HttpProblem } from '../../src/http/problem.ts';
import { listen, type ListeningServer } from '../../src/http/server.ts';

describe('the middleware that answers problems', () => {
  let server: ListeningServer | undefined;
  let unforeseen: unknown[];

  const answerOf = async (middleware: Koa.Middleware) => {
    const app = new Koa();
    app.use(answerProblems((error) => unforeseen.push(error)));
    app.use(middleware);
    const handler = app.callback() as (request: IncomingMessage, response: ServerResponse) => unknown;
    server = await listen(handler, { host: '127.0.0.1', port: 0 });
    const { statusCode, headers, body } = await request(`http://127.0.0.1:${server.port}/`);
    return { status: statusCode, headers, body: await body.text() };
  };

  beforeEach(() => {
    unforeseen = [];
  });

  afterEach(async () => {
    await server?.close(0);
    server = undefined;
  });

  it('turns a thrown problem into an answer with its headers and members', async () => {
    const answer = await answerOf(() => {
      const headers = { 'Retry-After': '30' };
      throw new HttpProblem({ status: 503, detail: 'Busy.', headers, members: { errors: [1] } });
    });
    expect(answer.status).to.equal(503);
    expect(answer.headers).to.include({ 'retry-after': '30', 'content-type': 'application/problem+json' });
    expect(answer.body).to.equal(
      '{"title":"Service Unavailable","status":503,"detail":"Busy.","errors":[1]}',
    );
    expect(unforeseen).to.deep.equal([]);
  });

  it('says nothing of an error that nobody foresaw, and hands it to the log', async () => {
    const error = new Error('password=hunter2');
    const answer = await answerOf(() => Promise.reject(error));
    expect(answer.status).to.equal(500);
    expect(answer.body).not.to.contain('hunter2');
    expect(unforeseen).to.deep.equal([error]);
  });

  it('answers 404 where nobody answered', async () => {
    const answer = await answerOf((_ctx, next) => next());
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([404, 'application/problem+json']);
  });

  it('keeps for the log what differs from what the sender is told', async () => {
    let problem: unknown;
    await answerOf(async (ctx, next) => {
      const inner = answerProblems(() => {});
      const shown = new HttpProblem({ status: 400, detail: 'shows "content"', logged: 'no content' });
      await inner(ctx, () => Promise.reject(shown));
      problem = (ctx.state as { problem?: string }).problem;
      await next();
    });
    expect(problem).to.equal('no content');
  });
});
