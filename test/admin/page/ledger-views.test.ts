/** Views over a real ledger: what came, as a browser sees it. */
import { expect } from 'chai';
import type { Callback } from '../../../src/callback/callback.ts';
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts';
import { faultsIn } from '../../support/html-faults.ts';
import { openOffice, type OfficeWorld } from '../../support/office.ts';
import { deadUpdate, deliveredUpdate, target } from '../../support/recorded.ts';

const OPS = target('slack:#ops');
const MAIL = target('email:a@example.com');

describe('The page over a ledger', () => {
  let world: OfficeWorld;

  beforeEach(async () => {
    world = await openOffice();
  });

  afterEach(async () => {
    await world.close();
    expect(world.unforeseen).to.deep.equal([]);
  });

  /** Told to the first destination, given up at the second. */
  const post = async (fields: Partial<Callback>) => {
    const error = { class: 'permanent', code: '550', message: 'mailbox full' } as const;
    let isFirst = true;
    const updateOf = (id: number) => {
      const update = isFirst ? deliveredUpdate(id) : deadUpdate(id, error);
      isFirst = false;
      return update;
    };
    return world.recorded.answered(fields, [OPS, MAIL], updateOf, 'gave_up');
  };

  const pageOf = async (path: string) => {
    const { status, body } = await world.get(path);
    expect([status, faultsIn(body)], path).to.deep.equal([200, []]);
    return body;
  };

  it('has views before anything has come', async () => {
    expect(await pageOf('/')).to.contain('No BOT has run yet');
    expect(await pageOf('/callbacks')).to.contain('No such callback has come');
  });

  it('leads from the overview to a BOT, to its callback, to its job', async () => {
    const id = await post({
      bot_id: 'invoice/1',
      bot_name: '請求書',
      status: 1,
      message: '在庫がありません',
    });
    expect(await pageOf('/')).to.contain('href="/bots?bot_id=invoice%2F1"');
    const bot = await pageOf('/bots/invoice%2F1');
    expect(bot).to.contain(`href="/callbacks/${id}"`);
    const callback = await pageOf(`/callbacks/${id}`);
    expect(callback).to.contain('href="/callbacks?job_id=job-1"');
    expect(await pageOf('/callbacks?job_id=job-1')).to.contain(`href="/callbacks/${id}"`);
  });

  it('says of a callback who was told and who was not, and why', async () => {
    const id = await post({ status: 1 });
    const body = await pageOf(`/callbacks/${id}`);
    const summary = /class="panel summary">.*?<p dir="auto">(.*?)<\/p>/s.exec(body)?.[1] ?? '';
    expect(summary).to.contain('slack:#ops').and.to.contain('email:a@example.com');
    expect(body).to.contain('mailbox full');
    expect(body).to.contain('class="timeline"');
  });

  it('counts dead letters in its title and its menu', async () => {
    await post({});
    const body = await pageOf('/');
    expect(body).to.contain('<title>BOTs (1 undelivered) · Botbell</title>');
    expect(body).to.contain('<strong class="count"> 1</strong>');
  });

  it('finds callbacks by the filter in its address', async () => {
    const [first, second] = [
      await post({ job_id: 'a', bot_id: 'x' }),
      await post({ job_id: 'b', bot_id: 'y' }),
    ];
    const body = await pageOf('/callbacks?bot_id=y&status=succeeded&state=dead');
    expect(body).to.contain(`href="/callbacks/${second}"`);
    expect(body).not.to.contain(`href="/callbacks/${first}"`);
    expect(await pageOf('/callbacks?limit=1')).to.contain(`/callbacks?before=${second}`);
  });

  it('says what of a filter makes no sense, above the filter as it was filled in', async () => {
    for (const [path, problem] of [
      ['/callbacks?status=5', '&quot;status&quot; must be one of'],
      ['/callbacks?from=tomorrow&bot_id=mine', '&quot;from&quot; must be a day (2026-01-31)'],
      ['/callbacks?bot=a&bot_id=mine', '&quot;bot&quot; is no parameter'],
    ] as const) {
      const { status, body } = await world.get(path);
      expect([status, faultsIn(body)], path).to.deep.equal([400, []]);
      expect(body, path).to.contain(problem).and.not.to.contain('No such callback');
      if (path.includes('mine')) expect(body, path).to.contain('value="mine"');
    }
  });

  it('has a page for what is not there', async () => {
    for (const path of ['/bots/nobody', '/callbacks/99', '/callbacks/x', '/callbacks/1e3']) {
      const { status, body } = await world.get(path);
      expect([status, body.includes('Not found')], path).to.deep.equal([404, true]);
    }
  });

  it('says on every view that the ledger cannot be read, and loses nobody’s way back', async () => {
    const gone = () => Promise.reject(new LedgerUnavailable('no answer'));
    const broken = await openOffice(
      Object.fromEntries(Object.keys(world.recorded.archive).map((name) => [name, gone])),
    );
    for (const path of ['/', '/bots/a', '/callbacks', '/callbacks/1', '/dead', '/refused', '/destinations']) {
      const { status, body } = await broken.get(path, { 'accept-language': 'ja' });
      expect([status, faultsIn(body)], path).to.deep.equal([503, []]);
      expect(body, path).to.contain('現在、記録を読み込めません').and.to.contain(`href="${path}"`);
    }
    expect(faultsIn((await broken.get('/nowhere')).body)).to.deep.equal([]);
    await broken.close();
  });
});
