import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { anew } from '../../support/anew.ts';
import { callbackWith, fixture } from '../../support/callbacks.ts';
import { openOffice } from '../../support/office.ts';
import { linesIn } from '../../support/page-text.ts';
import { deliveredUpdate, target } from '../../support/recorded.ts';

type Fields = Readonly<Record<string, string>>;

const ITEMS = { bot_id: 'get_items', status: 0 } as const;

describe('The playground', () => {
  const world = anew(() => openOffice({ isNew: true }));

  afterEach(() => expect([...world.done, ...world.unforeseen]).to.deep.equal([]));

  const post = async (fields: Fields) => (await world.post('/playground', fields)).body;
  const tried = (fields: Parameters<typeof callbackWith>[0], more: Fields = {}) =>
    post({ text: JSON.stringify(callbackWith(fields)), ...more });

  const frameIn = async (body: string) => {
    const [, path = ''] = /<iframe[^>]* src="([^"]*)"/.exec(body) ?? [];
    return (await world.get(path.replaceAll('&amp;', '&'))).body;
  };

  it('gives the command that posts what is in its box, without the token', async () => {
    const text = JSON.stringify(callbackWith({ message: `it's "here" <b>` }));
    const [, command = ''] = /<textarea readOnly[^>]*>(curl [^<]*)</i.exec(await post({ text })) ?? [];
    const shown = command.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
    const printing = shown.replace(/^curl/, `printf '%s\\n'`);
    const { stdout } = spawnSync(printing, { shell: true, encoding: 'utf8', env: { CALLBACK_TOKEN: 'x' } });
    const [url, , type, , posted] = stdout.split('\n');
    expect([url, posted]).to.deep.equal(['http://127.0.0.1:8080/callbacks/x', text]);
    expect(type).to.equal('Content-Type: application/json');
    const commandOf = async (message: string) => /<textarea readOnly/i.test(await tried({ message }));
    expect(await commandOf('請'.repeat(40_000)), 'no longer than Linux takes it').to.equal(true);
    expect(await commandOf('請'.repeat(45_000))).to.equal(false);
  });

  it('draws what is pasted, for whom its routes say, or for whoever is asked for, with any template set', async () => {
    const body = await tried({ bot_id: 'invoice-import', status: 1, message: 'no <b>paper</b>' });
    expect(body).to.contain('The route for invoice-* applies').and.contain('email:ops@example.com');
    expect(await frameIn(body)).to.contain('no &lt;b&gt;paper');
    for (const to of ['email:readers@example.com', 'slack']) {
      const elsewhere = await tried(ITEMS, { to, set: 'ja' });
      expect(elsewhere).to.contain('No route sends it there.');
      expect(await frameIn(elsewhere)).to.match(/成功/);
    }
    const nobody = await tried({ bot_id: 'unknown', status: 0 });
    expect(nobody).to.contain('Nobody would be told.').and.contain('it tells only of errors');
  });

  it('says of what is no callback what is wrong with it, by pointer', async () => {
    const body = await post({ text: '{"code": 1, "status": "done"}' });
    expect(body).to.contain('It would be refused').and.contain('/status').and.contain('/job_id');
    expect(await post({ text: 'hello' })).to.contain('the whole body');
    expect(await post({ text: `${' '.repeat(8_500_000)}1` })).to.contain('It would be refused');
  });

  it('opens a callback of the ledger to be changed, a large one without putting it into a field', async () => {
    const fields = { ...ITEMS, output: { 件数: 3 } };
    const small = await world.recorded.arrive(fields, [target('slack:#shop')]);
    const { body } = await world.get(`/playground?callback=${small.callbackId}`);
    expect(linesIn(body)).to.include('"件数": 3').and.include('slack:#shop');
    const { callbackId } = await world.recorded.arrive({ ...ITEMS, message: 'y'.repeat(600_000) });
    const { body: large } = await world.get(`/playground?callback=${callbackId}`);
    expect(large).to.contain('too large to be changed here').and.not.to.contain('y'.repeat(500_000));
    expect(large).to.contain(`name="callback" value="${callbackId}"`);
    expect(await post({ text: fixture('huge.json') })).to.contain('/playground/message?');
  });

  it('shows the text alone of what is too long for an address', async () => {
    const message = Array.from({ length: 9000 }, (_, index) => String(index * index)).join(' ');
    const body = await tried({ ...ITEMS, message });
    expect(body).to.match(/<pre class="box"[^>]*>[^<]*0 1 4 9 16/);
    expect(body).not.to.contain('<iframe');
  });
});

describe('The message of a delivery', () => {
  it('says whether it has been sent, whether the config has changed since, and where its channel is gone', async () => {
    const world = await openOffice({ isNew: true });
    await world.recorded.loadConfig('before00');
    const told = await world.recorded.arrive(ITEMS, [target('slack:#shop'), target('pager:1234')]);
    const [shop, pager] = told.deliveries.map(({ id }) => id);
    const frame = () => world.get(`/deliveries/${shop}/message`);
    expect((await frame()).body).to.contain('It has not been sent.');
    await world.recorded.claim();
    await world.recorded.settle(told, [deliveredUpdate(shop ?? 0)]);
    expect((await frame()).body).to.contain('has changed since (before00, now c0ffee123456)');
    const { status, body } = await world.get(`/deliveries/${pager}/message`);
    expect([status, body.includes('no such channel')]).to.deep.equal([404, true]);
    await world.close();
  });
});
