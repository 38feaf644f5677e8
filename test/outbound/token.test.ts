import { mock } from 'node:test';
import { expect } from 'chai';
import { NothingSent } from '../../src/outbound/exchange.ts';
import { KeptToken } from '../../src/outbound/token.ts';
import { rejectionOf } from '../support/rejection-of.ts';

describe('a kept token', () => {
  let token: KeptToken;
  let asks: number;
  let answer: { status: number; body: string } | Error;

  const given = (body: object) => ({ status: 200, body: JSON.stringify(body) });

  beforeEach(() => {
    mock.timers.enable({ apis: ['Date'] });
    asks = 0;
    token = new KeptToken({
      ask: () => {
        asks += 1;
        return answer instanceof Error
          ? Promise.reject(answer)
          : Promise.resolve({ headers: {}, ...answer, body: answer.body.replace('#', String(asks)) });
      },
      failureOf: (error) => error,
      refusalOf: ({ status }, refusals) => new Error(`refused ${status}, ${refusals} before`),
    });
  });

  afterEach(() => mock.timers.reset());

  it('is fetched once for all who ask, and anew five minutes before it expires, a tenth of its time at most', async () => {
    for (const [seconds, keptS] of [
      [86_400, 86_100],
      ['3600', 3300],
      [undefined, 3300],
      [100, 90],
      ['soon', 3300],
    ] as const) {
      token.forget();
      const before = asks;
      answer = given({ access_token: 'text-#', expires_in: seconds });
      const [one, other] = await Promise.all([token.text(1), token.text(1)]);
      expect(one).to.equal(other);
      mock.timers.tick(keptS * 1000 - 1);
      await token.text(1);
      expect(asks - before, String(seconds)).to.equal(1);
      mock.timers.tick(1);
      expect(await token.text(1)).not.to.equal(one);
    }
    expect(token.latest).to.have.length(3);
  });

  it('is fetched anew once for all who have it refused, and again where the new one is refused, too', async () => {
    answer = given({ access_token: 'text-#' });
    const refused = await token.text(1);
    for (const fetches of [2, 2]) {
      token.renew(refused);
      const next = token.text(1);
      token.renew(refused);
      expect(await token.text(1)).to.equal(await next);
      expect(asks).to.equal(fetches);
    }
    token.renew(await token.text(1));
    expect([await token.text(1), asks]).to.deep.equal(['text-3', 3]);
    answer = given({ access_token: 'the same' });
    for (const fetches of [4, 5, 6]) {
      token.renew();
      await token.text(1);
      expect(asks).to.equal(fetches);
    }
  });

  it('is asked for anew by the next where there was none, and says whether anything was sent', async () => {
    answer = new Error('no way');
    expect(await rejectionOf(token.text(1))).to.be.instanceOf(NothingSent);
    for (const [before, status, body] of [
      [0, 401, '{"access_token":"x"}'],
      [1, 200, '{"access_token":""}'],
      [2, 200, '{"access_token":"two\\r\\nlines"}'],
      [3, 200, '<html>'],
    ] as const) {
      answer = { status, body };
      const message = `refused ${status}, ${before} before`;
      expect(await rejectionOf(token.text(1))).to.include({ message });
    }
    answer = given({ access_token: 'at last', expires_in: 0.001 });
    expect(await token.text(1)).to.equal('at last');
    mock.timers.tick(1);
    answer = { status: 400, body: '' };
    expect(await rejectionOf(token.text(1))).to.include({ message: 'refused 400, 0 before' });
  });
});
