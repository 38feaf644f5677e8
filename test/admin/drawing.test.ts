/** What the config in force makes of a callback is seen before anybody is told. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { drawAt, type Drawing, drawingOf, readPosted } from '../../src/admin/drawing.ts';
import { type AppSettings, openSettings } from '../../src/app/settings.ts';
import { InvalidCallback } from '../../src/callback/callback.ts';
import { channelTypes } from '../../src/channels/registry.ts';
import { loadProject } from '../../src/cli/load-config.ts';
import { RunningSettings } from '../../src/deliver/settings.ts';
import { HttpProblem } from '../../src/http/problem.ts';
import { noticeOf } from '../../src/notice/notice.ts';
import { HiddenSecrets } from '../../src/text/hide-secrets.ts';
import { systemClock } from '../../src/time/clock.ts';
import { callbackWith } from '../support/callbacks.ts';
import { tempFolder } from '../support/temp-folder.ts';

const CONFIG = `
receiver: { listen: 127.0.0.1:0, max_body: 1mb }
store: { url: "sqlite:unused.db" }
channels:
  slack: { type: outbox, as: slack }
  mail: { type: outbox, as: email }
routes:
  - bot_id: invoice
    notify: [{ slack: "#ops" }, { mail: [ops@example.com] }]
`;

const bytesOf = (callback: unknown) => Buffer.from(JSON.stringify(callback));
const LARGE = callbackWith({ bot_id: 'invoice', status: 1, message: `begin ${'x'.repeat(60_000)} end` });

describe('What the config in force makes of a callback', () => {
  let folder: string;
  let settings: RunningSettings<AppSettings>;
  let drawing: Drawing;

  beforeEach(async () => {
    folder = tempFolder();
    const file = join(folder, 'botbell.yaml');
    writeFileSync(file, CONFIG);
    const project = await loadProject({ configFile: file, variables: {} });
    const ignore = () => undefined;
    const environment = {
      channelTypes,
      clock: systemClock,
      print: ignore,
      onTemplateError: ignore,
      secrets: new HiddenSecrets(),
    };
    settings = new RunningSettings(await openSettings(project, environment), systemClock, ignore);
    drawing = drawingOf(settings.current, channelTypes);
  });

  afterEach(async () => {
    await settings.close();
  });

  const draw = (callback: unknown, channel: string, more = {}) => {
    const notice = noticeOf(readPosted(bytesOf(callback), drawing.config), 1);
    const place = { destination: channel, channel, options: {}, ...more };
    const drawn = drawAt(place, notice, drawing, { now: 0 });
    expect(drawn?.failures).to.deep.equal([]);
    return drawn?.composed.asText();
  };

  it('is its routes and its message, by template set and language', () => {
    const callback = callbackWith({ bot_id: 'invoice', status: 1, message: 'no paper' });
    const { destinations } = drawing.router.route(callback);
    expect(destinations.map(({ destination }) => destination)).to.deep.equal([
      'slack:#ops',
      'mail:ops@example.com',
    ]);
    expect(drawing.renderer.templateSets).to.include.members(['en', 'ja']);
    expect(draw(callback, 'slack'))
      .to.contain('no paper')
      .and.not.match(/[ぁ-ん]/);
    expect(draw(callback, 'mail', { templateSet: 'ja' })).to.match(/エラー/);
    expect(draw(callback, 'slack', { templateSet: 'ja' })).to.match(/エラー/);
  });

  it('is made of a large callback, by either set', () => {
    expect(draw(LARGE, 'slack')).to.match(/begin x+[^]*left out[^]* end/);
    expect(draw(LARGE, 'mail', { templateSet: 'ja' })).to.match(/begin x+[^]*省略[^]* end/);
  });

  it('is not made of what the receiver would refuse, and says why', () => {
    expect(() => readPosted(bytesOf({ code: 'x' }), drawing.config)).to.throw(InvalidCallback, '/status');
    expect(() => readPosted(Buffer.alloc(1_100_000, ' '), drawing.config))
      .to.throw(HttpProblem)
      .with.nested.property('details.status', 413);
  });
});
