/** Whoever wonders what would become of a callback sees it, and nothing is sent. */
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { callbackWith } from '../../support/callbacks.ts';
import { faultsIn } from '../../support/html-faults.ts';
import { openOffice, type OfficeWorld } from '../../support/office.ts';
import { deliveredUpdate, target } from '../../support/recorded.ts';
import { fixture } from '../../support/bridge-world.ts';

describe('The playground', () => {
  let world: OfficeWorld;

  beforeEach(async () => {
    world = await openOffice();
  });

  afterEach(async () => {
    await world.close();
    expect(world.done).to.deep.equal([]);
    expect(world.unforeseen).to.deep.equal([]);
  });

  const post = async (fields: Readonly<Record<string, string>>) => {
    const answer = await world.post('/playground', fields);
    expect(faultsIn(answer.body)).to.deep.equal([]);
    return answer;
  };

  const frameIn = async (body: string) => {
    const path = [...body.matchAll(/<iframe[^>]* src="([^"]*)"/g)][0]?.[1] ?? '';
    return world.get(path.replaceAll('&amp;', '&'));
  };

  it('gives the command that posts what is in its box, without the token', async () => {
    const text = JSON.stringify(callbackWith({ message: `it's "here" <b>` }));
    const { body } = await post({ text });
    const [, command = ''] = /<textarea readOnly[^>]*>(curl [^<]*)<\/textarea>/i.exec(body) ?? [];
    const shown = command.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
    const { stdout } = spawnSync('sh', ['-c', shown.replace(/^curl/, `printf '%s\\n'`)], {
      encoding: 'utf8',
    });
    const [url, , type, , posted] = stdout.split('\n');
    expect([url, type]).to.deep.equal(['http://127.0.0.1:8080/callbacks', 'Content-Type: application/json']);
    expect(posted).to.equal(text);
  });

  it('draws what is pasted, for whom its routes say, in frames that may do nothing', async () => {
    const callback = callbackWith({ bot_id: 'invoice-import', status: 1, message: 'no <b>paper</b>' });
    const { status, body } = await post({ text: JSON.stringify(callback) });
    expect(status).to.equal(200);
    expect(body).to.contain('The route for invoice-* applies').and.contain('email:keiri@example.com');
    const { headers, body: document } = await frameIn(body);
    expect(headers['content-security-policy']).to.equal(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
    );
    expect(document).to.contain('no &lt;b&gt;paper').and.contain('prefers-color-scheme: dark');
  });

  it('says of what is no callback what is wrong with it, by pointer', async () => {
    const { body } = await post({ text: '{"code": 1, "status": "done"}' });
    expect(body).to.contain('It would be refused').and.contain('/status').and.contain('/job_id');
    expect((await post({ text: 'hello' })).body).to.contain('the whole body');
    expect((await post({ text: `${' '.repeat(8_500_000)}1` })).body).to.contain('It would be refused');
  });

  it('opens a callback of the ledger to be changed', async () => {
    const fields = { bot_id: 'get_items', status: 0, output: { 件数: 3 } } as const;
    const { callbackId } = await world.recorded.arrive(fields, [target('slack:#shop')]);
    const { body } = await world.get(`/playground?callback=${callbackId}`);
    expect(faultsIn(body)).to.deep.equal([]);
    expect(body).to.contain('&quot;件数&quot;: 3').and.contain('slack:#shop');
    expect((await world.get('/playground?callback=4711')).status).to.equal(404);
  });

  it('draws a large callback without putting it into a field', async () => {
    const { body } = await post({ text: fixture('huge') });
    expect(body).to.contain('/playground/message?');
    const message = `x${'y'.repeat(600_000)}z`;
    const { callbackId } = await world.recorded.arrive({ bot_id: 'get_items', status: 0, message });
    const { body: recorded } = await world.get(`/playground?callback=${callbackId}`);
    expect(recorded).to.contain('too large to be changed here').and.not.to.contain('y'.repeat(500_000));
    expect(recorded).to.contain(`name="callback" value="${callbackId}"`);
  });

  it('draws with another template set, and for whoever is asked for', async () => {
    const text = JSON.stringify(callbackWith({ bot_id: 'get_items', status: 0 }));
    const { body } = await post({ text, to: 'email:keiri@example.com', set: 'ja' });
    expect(body).to.contain('No route sends it there.');
    expect((await frameIn(body)).body).to.match(/成功/);
    const { body: anywhere } = await post({ text, to: 'slack', set: 'ja' });
    expect((await frameIn(anywhere)).body).to.match(/成功/);
  });

  it('says of a frame whose address holds nothing that it cannot be drawn', async () => {
    for (const query of ['?packed=x&to=slack', '?callback=4711&to=slack']) {
      const { status, headers } = await world.get(`/playground/message${query}`);
      expect(status, query).to.equal(404);
      expect(String(headers['content-security-policy'])).to.contain('sandbox');
    }
  });

  it('shows the text alone of what is too long for an address', async () => {
    const message = Array.from({ length: 9000 }, (_, index) => String(index * index)).join(' ');
    const { body } = await post({
      text: JSON.stringify(callbackWith({ bot_id: 'get_items', status: 0, message })),
    });
    expect(body).not.to.contain('<iframe');
    expect(body).to.match(/<pre class="box"[^>]*>[^<]*0 1 4 9 16/);
  });

  it('says that nobody would be told, where nobody would', async () => {
    const text = JSON.stringify(callbackWith({ bot_id: 'unknown', status: 0 }));
    const { body } = await post({ text });
    expect(body).to.contain('Nobody would be told.').and.contain('it tells only of errors');
  });
});

describe('The message of a delivery', () => {
  let world: OfficeWorld;

  beforeEach(async () => {
    world = await openOffice();
  });

  afterEach(async () => {
    await world.close();
  });

  const admit = async (destination: string) => {
    const fields = { bot_id: 'invoice-import', status: 1, message: 'no paper' } as const;
    const { deliveries } = await world.recorded.arrive(fields, [target(destination)]);
    return deliveries[0]?.id ?? -1;
  };

  const frame = (id: number) => world.get(`/deliveries/${id}/message`);

  it('is drawn again in the theme of its reader', async () => {
    const id = await admit('slack:#ops');
    const { headers, body } = await frame(id);
    expect(body).to.contain('no paper').and.contain('prefers-color-scheme: dark');
    expect(body).to.contain('It has not been sent.');
    expect(headers['content-security-policy']).to.match(/^default-src 'none'.*sandbox/);
  });

  it('says whether the config has changed since it was sent', async () => {
    await world.recorded.loadConfig('before00');
    const id = await admit('slack:#ops');
    const [record] = await world.recorded.claim();
    await world.recorded.settle({ callbackId: 1 }, [deliveredUpdate(record?.id ?? 0)]);
    expect((await frame(id)).body).to.contain('has changed since (before00, now c0ffee123456)');
  });

  it('says so where it is not there, or its channel is not', async () => {
    expect((await frame(4711)).status).to.equal(404);
    const { status, body } = await frame(await admit('pager:1234'));
    expect([status, body.includes('no such channel')]).to.deep.equal([404, true]);
  });
});
