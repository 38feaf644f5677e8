/** What went wrong and what can be done about it, on pages that a clerk can read. */
import { expect } from 'chai';
import { faultsIn } from '../../../support/html-faults.ts';
import { OFFICE_ARCHIVE, openOffice, type OfficeWorld, PREVIEW } from '../../../support/office.ts';

const DRY_RUN =
  '/redeliveries/new?state=dead&destination=slack%3A%23ops&error_class=config&error_code=not_in_channel';

/** Of each view, what it must say in English and in Japanese. */
const VIEWS: readonly (readonly [path: string, en: readonly string[], ja: readonly string[]])[] = [
  [
    '/dead',
    [
      'slack:#ops',
      'Setting to fix',
      'config · not_in_channel',
      '>128<',
      '2 d ago',
      'No route names it any more',
      'Running',
      'Stopped',
      'BOT id: nightly-check',
      '>71<',
      'Not yet delivered',
      '>27<',
      'Given up',
      'admin',
      '/act/stop',
    ],
    ['配信不能', '要修正の設定', '2日前', '一括再送', '実行中'],
  ],
  [
    '/refused',
    [
      '203.0.113.7',
      'not a callback',
      '/status',
      'must be the integer 0 (succeeded), 1 (error) or 2 (executing)',
      'hello=world',
      '3 requests',
      '/act/see-refused',
      '/refused?like=12',
    ],
    ['受付拒否', '整数0（成功）、1（エラー）、2（実行中）のいずれかが必要ですが', '203.0.113.7'],
  ],
  [
    '/destinations',
    [
      'slack:#ops',
      'Fails',
      'not_in_channel',
      'Printed only',
      'Paused for 25 s',
      'Snoozed',
      'suzuki: the supplier moves house',
      'href="/snoozes?destination=slack%3A%23shop"',
    ],
    ['宛先', '届いていません', '休止中（あと25秒）', 'スヌーズ中'],
  ],
  [
    '/snoozes?bot_id=a&time=2026-12-01T09:00',
    [
      'invoice-import',
      'slack:#ops',
      'in 2 h',
      'the supplier moves house',
      'suzuki',
      '>12<',
      'next success, at most',
      'action="/act/end-snooze"',
      'action="/act/snooze"',
      'value="a"',
      'type="datetime-local" value="2026-12-01T09:00"',
      '<option value="email:keiri@example.com">',
    ],
    ['スヌーズ', '次に成功するまで', '明日の9:00まで', '2時間後'],
  ],
  [
    '/config?preview=1',
    [
      'config/botbell.yaml',
      'c0ffee123456',
      'did you mean',
      'config/botbell.yaml:41:13',
      'admin.listen',
      'slack:#keiri',
      'this would change',
    ],
    ['設定', '前回の再読み込みはできませんでした', '宛先が変わるもの'],
  ],
  [
    DRY_RUN,
    ['Deliver these again?', '128 messages', '>125<', 'email:keiri@example.com', 'value="not_in_channel"'],
    ['再送しますか', '128件'],
  ],
  [
    '/playground',
    ['routes[0]', 'slack:#ops', 'The route for invoice-* applies', '/playground/message?'],
    ['プレビュー', '理由（ルート）'],
  ],
];

describe('The pages of what went wrong', () => {
  let world: OfficeWorld;

  beforeEach(async () => {
    world = await openOffice(OFFICE_ARCHIVE);
  });

  afterEach(async () => {
    await world.close();
    expect(world.unforeseen).to.deep.equal([]);
  });

  const shown = async (path: string, language: 'en' | 'ja' = 'en') => {
    const answer = await world.get(path, { 'accept-language': language });
    expect(faultsIn(answer.body), path).to.deep.equal([]);
    return answer;
  };

  for (const [path, english, japanese] of VIEWS) {
    it(`shows ${path.split('?', 1)[0]} in English and Japanese`, async () => {
      const en = await shown(path, 'en');
      expect(en.status).to.equal(200);
      for (const text of english) expect(en.body).to.contain(text);
      const ja = await shown(path, 'ja');
      for (const text of japanese) expect(ja.body).to.contain(text);
      expect(ja.body).to.contain('<html lang="ja"');
    });
  }

  it('has each group of dead letters lead to what delivering or dismissing it would come to', async () => {
    const { body } = await shown('/dead');
    const paths = [...body.matchAll(/href="(\/redeliveries\/new\?[^"]*)"/g)].map(([, path = '']) =>
      path.replaceAll('&amp;', '&'),
    );
    expect(paths).to.include(DRY_RUN);
    const unrouted = paths.find((path) => path.includes('old')) ?? '';
    expect(unrouted).to.contain('error_class=none&error_code=none');
    const { body: dismissal } = await shown(unrouted);
    expect(dismissal)
      .to.contain('Mark 128 messages as done')
      .and.match(/name="error_class" value="none"/);
  });

  it('says of a filter that makes no sense what is wrong with it', async () => {
    const { status, body } = await shown('/redeliveries/new?status=9');
    expect(status).to.equal(400);
    expect(body).to.contain('&quot;status&quot; must be');
  });

  it('says when nothing matches, and then offers nothing to do', async () => {
    const { body } = await shown('/redeliveries/new?bot_id=none');
    expect(body).to.contain('Nothing matches').and.not.to.contain('action="/act/redeliver-all"');
  });

  it('is short where nothing went wrong', async () => {
    const nothing = () => Promise.resolve([]);
    Object.assign(world.services.archive, { deadLetters: nothing, refusedAlike: nothing });
    expect((await shown('/dead')).body).to.contain('No dead letters');
    expect((await shown('/refused')).body).to.contain('Nothing has been rejected.');
  });

  it('names what is wrong with a config where a reload would be refused', async () => {
    const place = { file: 'b.yaml', line: 3, column: 1 };
    const problems = [{ place, message: 'unknown key', severity: 'error' }] as const;
    const refused = { ...PREVIEW, configHash: undefined, changes: [], problems };
    Object.assign(world.services.reloading, { preview: () => Promise.resolve(refused) });
    expect((await shown('/config?preview=1')).body)
      .to.contain('It would be refused')
      .and.to.contain('b.yaml:3:1')
      .and.to.contain('unknown key');
  });
});
