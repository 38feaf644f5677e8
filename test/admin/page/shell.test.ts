/** What every page has around its view: language, headers, and an answer where there is nothing to show. */
import { expect } from 'chai';
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts';
import { openAdminWorld } from '../../support/admin-world.ts';
import { anew } from '../../support/anew.ts';
import { moment } from '../../support/moment.ts';
import { openOffice } from '../../support/office.ts';

const NOWHERE = '/nowhere';

describe('every page', () => {
  const world = anew(() => openAdminWorld());

  it('has an address that is a page where there is nothing', async () => {
    const { status, body, headers } = await world.get(NOWHERE);
    expect([status, headers['content-type']]).to.deep.equal([404, 'text/html; charset=utf-8']);
    expect(body).to.contain('<h1><bdi>Not found</bdi></h1>');
  });

  it('says that all is well, but not while the store cannot be written, and then why', async () => {
    const office = await openOffice({ isNew: true });
    await office.recorded.arrive({ job_id: 'came' });
    const isWell = async () => (await office.get('/')).body.includes('All is well');
    expect(await isWell()).to.equal(true);
    Object.assign(office.services, { storeTrouble: () => 'database or disk is full' });
    expect(await isWell()).to.equal(false);
    const said = /role="alert">The store cannot be written.*disk is full.*Make room on its disk/;
    expect((await office.get(NOWHERE)).body).to.match(said);
    const { body: japanese } = await office.get(NOWHERE, { 'accept-language': 'ja' });
    expect(japanese).to.include('ディスクに空きがありません');
    const openIncidents = () => Promise.reject(new LedgerUnavailable('timeout'));
    Object.assign(office.services, { storeTrouble: () => undefined });
    Object.assign(office.services.archive, { openIncidents });
    expect((await office.get('/')).status, 'nor where nobody knows').to.equal(503);
    expect((await office.get('/config')).status).to.equal(200);
    await office.close();
  });

  it('is drawn in a turn of the event loop of its own, so that callbacks are answered between many', async () => {
    const office = await openOffice({ isNew: true });
    const [asked, turnsOfPages] = [moment(), new Set<number>()];
    let [waiting, turn, isOver] = [0, 0, false];
    const pass = () => {
      turn += 1;
      if (!isOver) setImmediate(pass);
    };
    const openIncidents = async () => {
      waiting += 1;
      if (waiting === 10) asked.happen();
      await asked.promise;
      return [];
    };
    Object.assign(office.services.archive, { openIncidents });
    Object.assign(office.services, { storeTrouble: () => void turnsOfPages.add(turn) });
    pass();
    await Promise.all(Array.from({ length: 10 }, () => office.get(NOWHERE)));
    isOver = true;
    await office.close();
    expect(turnsOfPages).to.have.lengthOf(10);
  });

  it('is for browsers: who asks for JSON gets no page', async () => {
    expect((await world.get(NOWHERE, { accept: 'application/json' })).body).not.to.contain('<html');
    expect((await world.get('/api/nowhere')).body).not.to.contain('<html');
  });

  it('lets nothing in from elsewhere, is framed by nobody and kept by nobody', async () => {
    const { headers } = await world.get(NOWHERE);
    const { 'content-security-policy': policy, 'cache-control': keeping } = headers;
    expect(policy).to.match(
      /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'/,
    );
    expect(keeping).to.equal('no-store');
  });

  it('says which process answers, with which version, config and time zone', async () => {
    const { body } = await world.get(NOWHERE);
    for (const part of ['1.2.3', 'c0ffee123456', 'Asia/Tokyo', 'bridge-1/4711'])
      expect(body).to.contain(part);
  });

  it('marks in its menu that the config on the disk was refused', async () => {
    const mark = '<strong class="status bad"> !</strong>';
    expect((await world.get(NOWHERE)).body).not.to.contain(mark);
    const status = { configHash: 'c0ffee', failure: { at: 0, problems: [] } };
    const refused = await openAdminWorld({ reloading: { status } as never });
    expect((await refused.get(NOWHERE)).body).to.contain(mark);
    await refused.close();
  });

  it('says nothing of that to whom the guard has turned away', async () => {
    const foreign = { 'sec-fetch-site': 'cross-site', host: 'elsewhere.example' };
    const { status, body } = await world.get('/', foreign);
    expect(status).to.equal(403);
    for (const part of ['1.2.3', 'c0ffee', 'bridge-1', '<nav']) expect(body).not.to.contain(part);
  });

  it('is in the language that was chosen, else that the browser wants, else that the config names', async () => {
    const languageFor = async (headers: Readonly<Record<string, string>>) =>
      /<html lang="(\w+)"/.exec((await world.get(NOWHERE, headers)).body)?.[1];
    expect(await languageFor({ cookie: 'botbell_language=ja', 'accept-language': 'en' })).to.equal('ja');
    expect(await languageFor({ 'accept-language': 'ja,en;q=0.5' })).to.equal('ja');
    expect(await languageFor({ 'accept-language': 'fr' })).to.equal('en');
    expect(await languageFor({})).to.equal('en');
  });

  it('keeps the language that was chosen, and goes back to where that was', async () => {
    const answer = await world.get('/language/ja?back=%2Fnowhere%3Fa%3D1');
    expect([answer.status, answer.headers['location']]).to.deep.equal([303, '/nowhere?a=1']);
    expect(String(answer.headers['set-cookie'])).to.match(/botbell_language=ja; .*samesite=lax; httponly/i);
    const unknown = await world.get('/language/xx?back=/nowhere');
    expect(String(unknown.headers['set-cookie'])).not.to.contain('botbell_language');
  });

  it('leads nobody to another site', async () => {
    const others = '//elsewhere.example /\\elsewhere.example https://elsewhere.example javascript:alert(1)';
    for (const back of others.split(' ')) {
      const { headers } = await world.get(`/language/en?${new URLSearchParams({ back })}`);
      expect(headers['location'], back).to.equal('/');
    }
  });

  it('shows what came of an action once', async () => {
    const text = Buffer.from('sent <b>again</b>').toString('base64url');
    const { body, headers } = await world.get(NOWHERE, { cookie: `botbell_flash=done.${text}` });
    expect(body).to.contain('sent &lt;b>again&lt;/b>');
    expect(String(headers['set-cookie'])).to.contain('botbell_flash=;');
    const forged = await world.get(NOWHERE, { cookie: 'botbell_flash=bm90IGpzb24' });
    expect(forged.body).not.to.contain('class="flash');
  });

  it('brings its style under an address that changes with it, to be kept for ever', async () => {
    const { body } = await world.get(NOWHERE);
    const path = /href="(\/assets\/app\.[0-9a-f]{10}\.css)"/.exec(body)?.[1] ?? '';
    const { status, headers, body: style } = await world.get(path);
    expect([status, headers['cache-control']]).to.deep.equal([200, 'public, max-age=31536000, immutable']);
    expect(style).to.contain('light-dark(');
    expect((await world.get('/assets/app.0000000000.css')).status).to.equal(404);
  });
});
