/** An error that nobody foresaw becomes a problem (RFC 9457) that says nothing of it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import Koa from 'koa';
import { request } from 'undici';
import { answerProblems } from '../../src/http/problem.ts';
import { listen } from '../../src/http/server.ts';

describe('an error that nobody foresaw', () => {
  it('is answered 500 without a word of it, and handed to the log', async () => {
    const error = new Error('password=hunter2');
    const unforeseen: unknown[] = [];
    const app = new Koa();
    app.use(answerProblems((each) => unforeseen.push(each)));
    app.use(() => Promise.reject(error));
    const handler = app.callback() as (request: IncomingMessage, response: ServerResponse) => unknown;
    const server = await listen(handler, { host: '127.0.0.1', port: 0 });
    const { statusCode, headers, body } = await request(`http://127.0.0.1:${server.port}/`);
    expect([statusCode, headers['content-type']]).to.deep.equal([500, 'application/problem+json']);
    expect(await body.text()).not.to.contain('hunter2');
    expect(unforeseen).to.deep.equal([error]);
    await server.close(0);
  });
});
