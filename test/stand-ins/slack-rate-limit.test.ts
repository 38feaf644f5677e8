import { expect } from 'chai';
import { type SlackRateLimit, SlackRateLimiter } from '../../src/stand-ins/slack-rate-limit.ts';
import { startSlackStandIn } from '../../src/stand-ins/slack-stand-in.ts';

describe("the local Slack's rate limit", () => {
  let nowMs = 0;
  const limiterOf = (limit: Partial<SlackRateLimit>) =>
    new SlackRateLimiter({ burst: 1, retryAfter: 1, now: () => nowMs, ...limit });
  const takesAt = (limiter: SlackRateLimiter, ms: number, channel = 'C1') => {
    nowMs = ms;
    return limiter.take(channel);
  };

  it('takes a few messages at once, and from then on one a second', () => {
    const limiter = limiterOf({ burst: 3 });
    expect([0, 0, 0, 999].map((ms) => takesAt(limiter, ms))).to.deep.equal([
      undefined,
      undefined,
      undefined,
      1,
    ]);
    expect(takesAt(limiter, 1998)).to.equal(1);
    expect([2000, 2000].map((ms) => takesAt(limiter, ms))).to.deep.equal([undefined, undefined]);
  });

  it('takes a message every second for ever', () => {
    const limiter = limiterOf({ burst: 1 });
    const refused = Array.from({ length: 100_000 }, (_, second) => takesAt(limiter, second * 1000));
    expect(refused.filter((seconds) => seconds !== undefined)).to.deep.equal([]);
  });

  it('lets nothing pass before the Retry-After that it named, and asking meanwhile makes it no longer', () => {
    const limiter = limiterOf({ burst: 1, retryAfter: 30 });
    expect([0, 100, 5100, 30_099].map((ms) => takesAt(limiter, ms))).to.deep.equal([undefined, 30, 25, 1]);
    expect(takesAt(limiter, 30_100)).to.equal(undefined);
  });

  it('counts each channel for itself', () => {
    const limiter = limiterOf({ burst: 1 });
    expect([takesAt(limiter, 0, 'C1'), takesAt(limiter, 0, 'C2'), takesAt(limiter, 1, 'C1')]).to.deep.equal([
      undefined,
      undefined,
      1,
    ]);
    expect(takesAt(limiter, 1000, 'C2')).to.equal(undefined);
  });

  it('also keeps to so many messages a minute in all channels together', () => {
    const limiter = limiterOf({ burst: 1, workspacePerMinute: 60 });
    const atOnce = Array.from({ length: 20 }, (_, index) => takesAt(limiter, 0, `C${index}`));
    expect(atOnce.filter((seconds) => seconds === undefined)).to.have.length(6);
    expect(takesAt(limiter, 999, 'C30')).to.equal(1);
    expect([1000, 1000].map((ms, index) => takesAt(limiter, ms, `C4${index}`))).to.deep.equal([undefined, 1]);
  });

  it('answers as Slack does, and counts what it refused', async () => {
    const slack = await startSlackStandIn({
      tokens: ['xoxb'],
      channels: [{ id: 'C0000001', name: '#ops' }],
      rateLimit: { burst: 1, retryAfter: 30, now: () => 0 },
    });
    const post = (channel: string) =>
      fetch(`${slack.apiUrl}chat.postMessage`, {
        method: 'POST',
        body: JSON.stringify({ channel, text: 'x' }),
        headers: { 'content-type': 'application/json', authorization: 'Bearer xoxb' },
      });
    try {
      expect((await post('#ops')).status).to.equal(200);
      const refused = await post('#ops');
      expect(refused.status).to.equal(429);
      expect(refused.headers.get('retry-after')).to.equal('30');
      expect(await refused.json()).to.deep.equal({ ok: false, error: 'ratelimited' });
      expect(await (await post('#nowhere')).json()).to.include({ error: 'channel_not_found' });
      expect(slack.messages).to.have.length(1);
      expect(slack.rateLimited).to.deep.equal(['#ops']);
    } finally {
      await slack.close();
    }
  });
});
