import { mock } from 'node:test';
import { expect } from 'chai';
import type { Card } from '../../src/channels/card.ts';
import type { ComposeContext, MessageFormat } from '../../src/channels/channel.ts';
import { slackFormat } from '../../src/channels/slack/format.ts';
import { slackAsText } from '../../src/channels/slack/preview.ts';
import { Renderer, type TemplateFailure } from '../../src/render/renderer.ts';
import { NO_FOLDER } from '../../src/render/template-folder.ts';
import { BARE, BUILT_IN, targetOf, testRenderer } from './render-fixture.ts';
import { expectAcceptable } from './slack-rules.ts';
import type { SlackMessage } from '../../src/channels/slack/message.ts';
import { noticeOfAlert, type Notice } from '../../src/notice/notice.ts';
import { DEAD_LETTER, raised } from '../support/alerts.ts';
import { noticeAbout } from '../support/callbacks.ts';
import { composedOf } from '../support/composed.ts';

const newRenderer = (language: 'en' | 'ja' = 'en') =>
  new Renderer({ display: { language, timezone: 'UTC', links: {} }, builtIn: BUILT_IN, own: NO_FOLDER });

describe('a renderer', () => {
  it('says plainly what happened to which BOT where a message cannot be drawn', () => {
    const failures: TemplateFailure[] = [];
    const broken: MessageFormat = {
      ...slackFormat,
      compose(card, context) {
        if (card.facts.length > 0) throw new Error('broken');
        return slackFormat.compose(card, context);
      },
    };
    const renderer = newRenderer('ja');
    const drawn = (notice: Notice) =>
      renderer.render(notice, targetOf(broken), (failure) => failures.push(failure)).message as SlackMessage;
    const text = { bot_name: '<!here>\n', message: `<@U1>${'x'.repeat(9000)}` };
    const message = drawn(noticeAbout({ ...BARE, status: 1, ...text }));
    expectAcceptable(message);
    expect(message.text).to.equal('❌ &lt;!here&gt;');
    expect(slackAsText(message)).to.include('<@U1>xxx');
    expect(failures.map((failure) => failure.message)).to.deep.equal(['broken']);
    expect(drawn(noticeOfAlert(raised(DEAD_LETTER))).text)
      .to.match(/^⚠️ .*slack:#ops/)
      .and.include('dead_letter');
  });

  it('draws a message once more where the machine stalls meanwhile, wherever that happens', () => {
    const renderer = testRenderer();
    const expected = renderer.slack(BARE);
    let [looks, stallAt] = [0, 1];
    const clock = mock.method(performance, 'now', () => ((looks += 1), looks < stallAt ? 0 : 10_000));
    // One rendering looks at the clock less often.
    for (; stallAt <= 40; stallAt += 1) {
      looks = 0;
      expect(renderer.slack(BARE), `stalled at look ${stallAt}`).to.deep.equal(expected);
    }
    clock.mock.restore();
    expect(renderer.failures).to.deep.equal([]);
  });

  it('takes the start of a run for its time where no date can hold its end', () => {
    const times: number[] = [];
    const format: MessageFormat = {
      ...slackFormat,
      compose: (card, context) => (times.push(context.at), slackFormat.compose(card, context)),
    };
    const renderer = newRenderer();
    for (const elapsed_time of [2, 1e14, 1e300])
      renderer.render(noticeAbout({ ...BARE, elapsed_time }, 1), targetOf(format), () => undefined);
    const [end = 0] = times;
    expect(times).to.deep.equal([end, end - 2000, end - 2000]);
  });

  it('takes a condition that fails for met, and names it', () => {
    const renderer = newRenderer();
    const failures: TemplateFailure[] = [];
    const many = noticeAbout({ ...BARE, output: { 件数: 1e9 } }, 1);
    const condition = '(1..output.件数) contains 0';
    expect(renderer.holds(condition, many, (failure) => failures.push(failure))).to.equal(true);
    expect(failures.map(({ format, message }) => `${format} ${message}`)).to.deep.equal([
      `when ${condition}: memory alloc limit exceeded, line:1, col:1`,
    ]);
  });

  it('composes the message of a notice once for all destinations that get the same', () => {
    const renderer = testRenderer();
    const notice = noticeAbout(BARE);
    let composed = 0;
    const compose = (card: Card, { options, destination }: ComposeContext) => {
      composed += 1;
      return composedOf({ title: card.title, options, destination });
    };
    const shared: MessageFormat = { name: 'shared', compose };
    const named: MessageFormat = { name: 'named', namesDestination: true, compose };
    const messagesOf = (format: MessageFormat, options: (index: number) => object) =>
      Array.from({ length: 10 }, (_, index) => {
        const target = { ...targetOf(format), destination: `d:${index}`, options: { ...options(index) } };
        return renderer.render(notice, target, () => undefined).message as Record<string, unknown>;
      });
    expect(new Set(messagesOf(shared, () => ({ to: ['@here'] }))).size).to.equal(1);
    expect(composed).to.equal(1);
    const told = messagesOf(shared, (index) => ({ to: [index] }));
    expect(told.map(({ options }) => options)).to.deep.equal(told.map((_, index) => ({ to: [index] })));
    const names = messagesOf(named, () => ({})).map(({ destination }) => destination);
    expect(names).to.deep.equal(names.map((_, index) => `d:${index}`));
    const other = noticeAbout({ ...BARE, bot_name: 'Other' });
    expect(renderer.render(other, targetOf(shared), () => undefined).message).to.include({ title: 'Other' });
  });
});
