/** What each view of an office says, in one language or the other: `views.json`, which `UPDATE_MESSAGES=1` writes anew. */
import { join } from 'node:path';
import { expect } from 'chai';
import { keyOf } from '../../../src/ledger/callbacks/keys.ts';
import { DISMISSED, LedgerUnavailable, NO_LONGER_ROUTED, SUPERSEDED } from '../../../src/ledger/ledger.ts';
import { archiveReads } from '../../../src/ledger/registry.ts';
import { anew, forAll } from '../../support/anew.ts';
import { expectMessages } from '../../support/expected-messages.ts';
import { openOffice, type OfficeWorld } from '../../support/office.ts';
import { linesIn } from '../../support/page-text.ts';
import { deadUpdate, target } from '../../support/recorded.ts';
import { OFFICE_NOW } from '../../support/two-weeks.ts';

/** By what they promise; `:job` stands for the id of the job's callback, `:kind` for that of Botbell's own notice. */
const VIEWS: Readonly<Record<string, string>> = {
  'first what needs somebody, then each BOT': '/',
  'a BOT’s runs, who is told of it now, and that its result is missing': '/bots?bot_id=invoice-import',
  'that a BOT is snoozed': '/bots?bot_id=nightly-report',
  'callbacks, each with the worst that became of its messages': '/callbacks?limit=8',
  'a filter as it was filled in, and what can be done with all that it finds':
    '/callbacks?bot_id=price-watch&state=dead',
  'a search with its filters folded': '/callbacks?search=invoice-*&limit=1',
  'who was told and who was not, and why': '/callbacks/:price-watch-13-7.5',
  'what is tried again, in the order in which it happened': '/callbacks/:newsletter',
  'who has snoozed what is held': '/callbacks/:report',
  'that nobody was told, and why': '/callbacks/:monthly',
  'of each message what can be done about it': '/callbacks/:every-state',
  'what Botbell says by itself as what it is': '/callbacks/:missed',
  'what a notice is about': '/callbacks/:overdue',
  'dead letters by cause, and what becomes of bulks': '/dead',
  'how many messages a redelivery means before it begins':
    '/redeliveries/new?state=dead&destination=slack%3A%23old-prices&error_class=config&error_code=is_archived',
  'that nothing matches, with nothing to do': '/redeliveries/new?state=dead&bot_id=none',
  'what BOTs did this month, worst first, and what changed against the month before': '/reports',
  'what one BOT did from one day to another': '/reports?from=2026-11-10&to=2026-11-12&bot_id=get_items',
  'that nothing ran in a month': '/reports?month=2026-11&bot_id=old-bot',
  'what of a period makes no sense': '/reports?month=2026-12&from=soon',
  'rejected bodies': '/refused',
  'what was refused before': '/refused?before=2',
  'each destination with its last success, last error and pause': '/destinations',
  'snoozes, and the form of one more': '/snoozes?bot_id=a&destination=slack%3A%23shop&time=2026-12-01T09:00',
  'the config in force, and why another was refused': '/config',
  'what would become of a callback': '/playground',
  'what of a filter makes no sense, above the filter': '/callbacks?status=5&from=tomorrow&bot_id=mine',
  'what of a redelivery’s filter makes no sense': '/redeliveries/new?status=9',
  'that there is no such BOT': '/bots?bot_id=nobody',
};

/** A callback with a message in each state; SQL of each. */
const STATES = [
  `state = 'delivered', receipt = '{"ts":"1.2"}'`,
  `state = 'delivered', receipt = '{"told":"nobody"}'`,
  `state = 'delivered', receipt = '{"accepted":"202"}', summary_id = 1`,
  `state = 'pending'`,
  `state = 'dead', error_class = 'permanent', error_code = '550'`,
  `state = 'held', reason = 'mute', held_until = ${OFFICE_NOW + 7_200_000}`,
  ...[SUPERSEDED, NO_LONGER_ROUTED, DISMISSED, 'when', 'after_failures', 'repeat'].map(
    (reason) => `state = 'held', reason = '${reason}'`,
  ),
];

async function comeInEveryState({ recorded, store }: OfficeWorld): Promise<void> {
  const fields = { job_id: 'every-state', bot_id: 'get_items', bot_name: '長'.repeat(100) };
  const targets = STATES.map((_, index) => target(`slack:#${index}`));
  const { deliveries } = await recorded.arrive(fields, targets, { routing: '[]' });
  for (const [index, { id }] of deliveries.entries())
    await store.run(`update deliveries set due_at = 0, ${STATES[index]} where id = ${id}`);
}

/** What was counted in October; one BOT has not run since. */
function countOctober({ store }: OfficeWorld): Promise<void> {
  const day = Date.parse('2026-10-05T00:00Z');
  return store.run(`
    insert into days (bot_key, day, bot_id, bot_name, runs, unfinished, succeeded, errors, missed, overdue, running_ms,
      estimated, answer_ms, retries)
    values ('get_items', ${day}, 'get_items', '商品取得BOT', 1200, 0, 1198, 2, 0, 0, 7200000, 3, 61000, 2),
      ('old-bot', ${day}, 'old-bot', '', 1, 0, 1, 0, 0, 0, 1000, 0, 0, 0)`);
}

describe('The page of an office', () => {
  const world = forAll(() => openOffice());

  before(async () => {
    await comeInEveryState(world);
    await countOctober(world);
  });

  afterEach(() => expect(world.unforeseen).to.deep.equal([]));

  /** The path with the id of the callback that it names by its job, or of the notice by its kind. */
  const pathOf = async (path: string) => {
    const [, name] = /^\/callbacks\/:(.*)/.exec(path) ?? [];
    if (name === undefined) return path;
    const { items } = await world.services.archive.callbacks({}, { limit: 30 });
    return `/callbacks/${items.find(({ jobId, kind }) => [jobId, kind].includes(name))?.id}`;
  };

  it('says what is so, why, and what can be done', async () => {
    const views: Record<string, unknown> = {};
    for (const [index, [promise, named]] of Object.entries(VIEWS).entries()) {
      const path = await pathOf(named);
      const language = index % 2 === 0 ? 'en' : 'ja';
      const { status, body } = await world.get(path, { 'accept-language': language });
      expect(body, path).to.contain(`<html lang="${language}"`);
      views[promise] = [`${status} ${path}`, ...linesIn(body)];
    }
    await expectMessages(join(import.meta.dirname, 'views.json'), views);
  });

  it('gives each field a label of its own, also where several forms ask for the same', async () => {
    const { body } = await world.get('/');
    const valuesOf = (pattern: RegExp) => [...body.matchAll(pattern)].map(([, value]) => value).toSorted();
    const ids = valuesOf(/<(?:input|select) id="([^"]+)"/g);
    expect(ids).to.have.length.above(2);
    expect(new Set(ids)).to.have.property('size', ids.length);
    expect(valuesOf(/<label for="([^"]+)"/g)).to.deep.equal(ids);
  });

  it('shows no secret, wherever a BOT has said one', async () => {
    const { surroundings } = world.services;
    const redact = (text: string) => text.replaceAll('請求書取込', '[secret]');
    const lists = '/ /callbacks /refused /bots?bot_id=invoice-import /callbacks?bot_id=invoice-import';
    const paths = `${lists} /incidents/8 /playground/message?to=slack`.split(' ');
    const body = '{"bot_name":"請求書取込BOT"}';
    await world.recorded.refuse({ status: 422, detail: 'x', errors: [], from: '::1', body });
    const saying = async () => {
      const shown = await Promise.all(paths.map((path) => world.get(path)));
      return paths.filter((_, index) => shown[index]?.body.includes('請求書取込'));
    };
    expect(await saying()).to.deep.equal(paths);
    const { redact: none } = surroundings;
    Object.assign(surroundings, { redact });
    expect(await saying()).to.deep.equal([]);
    Object.assign(surroundings, { redact: none });
  });

  it('cuts nothing before its secrets are hidden, since half of one would not be recognised', async () => {
    const { surroundings } = world.services;
    const { redact: none } = surroundings;
    Object.assign(surroundings, { redact: (text: string) => text.replaceAll('長'.repeat(100), '[secret]') });
    const shown = await Promise.all(['/', '/reports', '/callbacks'].map((path) => world.get(path)));
    Object.assign(surroundings, { redact: none });
    for (const { body } of shown) expect(body).to.contain('[secret]').and.not.to.contain('長'.repeat(30));
  });

  it('counts what needs somebody in its title, and dead letters beside it in its menu', async () => {
    const { body } = await world.get('/');
    expect(body).to.match(
      /<title>\(\d+\) What needs somebody · Botbell<\/title>.*>BOTs<strong class="status bad"> \d+<.*>Dead letters<strong class="status bad"> \d+</s,
    );
  });

  it('leads from an incident to the others of its cause, which no message about it names', async () => {
    expect((await world.get('/incidents/8')).body).not.to.contain('The same cause');
    const alike = 'select sign, gist, likeness from incidents where id = 8';
    await world.recorded.incident(`id = 98, (sign, gist, likeness) = (${alike})`);
    const { body } = await world.get('/incidents/8');
    expect(body).to.contain('<a href="/">The same cause: 1 more BOT. See them, and take them up together<');
    await world.store.run('delete from incidents where id = 98');
  });

  it('leads from a store that could not be written to no list, since none is about it', async () => {
    const store = "kind = 'botbell', subject = 'store', sign = 'store', over_at = 2";
    await world.recorded.incident(`id = 99, ${store}`);
    const { body } = await world.get('/incidents/99');
    const [entry = ''] = /<ul class="incidents">.*<\/main>/s.exec(body) ?? [];
    expect(entry).to.contain('disk full').and.contain('<li>Botbell</li>').and.not.contain('<a ');
    await world.store.run('delete from incidents where id = 99');
  });

  it('shows each message in a frame of its own, in which nothing runs, in the theme of its reader', async () => {
    const { body } = await world.get(await pathOf('/callbacks/:newsletter'));
    const [, sandbox, path = ''] = /<iframe sandbox="([^"]*)" loading="lazy" src="([^"]*)"/.exec(body) ?? [];
    expect(sandbox).to.equal('allow-popups allow-popups-to-escape-sandbox');
    const { status, headers, body: message } = await world.get(path);
    expect(status).to.equal(200);
    expect(headers['content-security-policy']).to.equal(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
    );
    expect(headers['x-frame-options']).to.equal('SAMEORIGIN');
    expect(message).to.contain('週次メルマガ配信').and.contain('<meta name="color-scheme"');
  });

  it('says of a destination since when it does not answer', async () => {
    const { archive } = world.services;
    const { destinations } = archive;
    const downSince = Date.parse('2026-11-20T03:04:00Z');
    const down: typeof destinations = async (names) =>
      (await destinations(names)).map((each) => ({ ...each, downSince }));
    Object.assign(archive, { destinations: down });
    const { body } = await world.get('/destinations', { 'accept-language': 'ja' });
    Object.assign(archive, { destinations });
    expect(linesIn(body).join(' ')).to.match(/応答がありません\s+(?:昨日|\d+月20日|2026\S*)?.*12:04/);
  });

  it('leads from a page of a BOT with blanks around its id to the next one of the same BOT', async () => {
    for (const job_id of ['1', '2']) await world.recorded.arrive({ job_id, bot_id: ' lead' }, []);
    const { body } = await world.get('/callbacks?bot_id=%20lead&limit=1');
    expect(body).to.match(/href="\/callbacks\?bot_id=\+lead&amp;limit=1&amp;before=\d+">Next page/);
  });

  it('leads to a BOT whose id is too long to be kept whole', async () => {
    const bot_id = 'z'.repeat(2500);
    await world.recorded.arrive({ job_id: 'long', bot_id }, []);
    await world.recorded.incident(`id = 97, subject_key = '${keyOf(bot_id)}', subject = 'zz…'`);
    for (const path of [await pathOf('/callbacks/:long'), '/incidents/97']) {
      const [, link = ''] = /href="(\/bots\?bot_id=z[^"]+)"/.exec((await world.get(path)).body) ?? [];
      expect((await world.get(link)).status, path).to.equal(200);
    }
    await world.store.run('delete from incidents where id = 97');
  });

  it('shows in a list that was asked for a state or a destination how those deliveries stand', async () => {
    const targets = [target('slack:#dead'), target('slack:#waits')];
    const fields = { job_id: 'mixed', bot_id: 'mixed' };
    const admission = await world.recorded.arrive(fields, targets, { isAccepted: false });
    const [first] = admission.deliveries;
    await world.recorded.settle(admission, [deadUpdate(first?.id ?? 0)], 'failed');
    const shownBy = async (filter: string) =>
      linesIn((await world.get(`/callbacks?bot_id=mixed${filter}`)).body).join(' ');
    for (const filter of ['', '&state=dead', '&destination=slack:%23dead'])
      expect(await shownBy(filter), filter).to.contain('Dead letter: 1 of 2');
    for (const filter of ['&state=pending', '&destination=slack:%23waits'])
      expect(await shownBy(filter), filter).to.match(/(?<!Dead letter): 1 of 2/);
  });

  it('leads from the first of many troubles, or of many BOTs that have one, to all of them', async () => {
    for (const [row, count] of [
      ["subject = '#r' || id, gist = 'x', likeness = 'x'", 300],
      ["subject = 's:#r' || id, kind = 'destination', sign = 'config', gist = ''", 60],
    ] as const) {
      for (let number = 0; number < count; number += 1) await world.recorded.incident(row);
      const countAt = async (path: string) => (await world.get(path)).body.match(/>(?:s:)?#r\d+</g)?.length;
      expect(await countAt('/')).to.be.below(count);
      const [, all = ''] = /<a href="([^"]+)">… \d+ more/.exec((await world.get('/')).body) ?? [];
      expect(await countAt(all)).to.equal(count);
      await world.store.run("delete from incidents where subject like '%#r%'");
    }
  });

  it('has a page for what is not there', async () => {
    const ofPlayground = '/playground?callback=99999 /playground/message?packed=x&to=slack';
    const paths = `/callbacks/99999 /callbacks/x /callbacks/1e3 /deliveries/99999/message ${ofPlayground}`;
    for (const path of paths.split(' ')) expect((await world.get(path)).status, path).to.equal(404);
  });

  it('says in its reader’s language what cannot be done', async () => {
    const said = async (as: object, target: string) => {
      const headers = { accept: 'text/html', 'accept-language': 'ja', ...as };
      const { status, body } = await world.ask(target, { headers, body: 'a' });
      return `${status} ${linesIn(body).join(' ')}`;
    };
    expect(await said({}, 'POST /dead')).to.match(/^405 .*ここでは HEAD, GET だけを受け付けます。/);
    const wrong = await said({ 'content-type': 'text/plain' }, 'POST /act/test');
    expect(wrong).to.match(/^415 .*Content-Type: application\/x-www-form-urlencoded で送ってください。/);
  });
});

describe('The page of a new office', () => {
  const world = anew(() => openOffice({ isNew: true }));

  it('says of each list that it is empty, and where the first callback is posted to, without the token', async () => {
    for (const [path, said] of Object.entries({
      '/': 'http://127.0.0.1:8080/callbacks/<receiver.token>',
      '/callbacks': 'No such callback has come.',
      '/dead': 'No dead letters.',
      '/refused': 'Nothing has been rejected.',
      '/snoozes': 'Nothing is snoozed.',
    })) {
      const { body } = await world.get(path);
      expect(linesIn(body), path).to.include(said);
      expect(body, path).not.to.contain('THE-TOKEN');
    }
  });

  it('has pages of BOTs, of snoozes, of dead letters by cause, and of destinations, once there are many', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `a-${index}`).toSorted();
    const { config, ...rest } = world.services.drawing();
    const notify = names.map((name) => {
      return { ...target(`slack:#${name}`), channel: 'slack', options: {}, perJob: 'message' } as const;
    });
    const routes = config.routes.slice(0, 1).map((route) => ({ ...route, notify }));
    Object.assign(world.services, { drawing: () => ({ ...rest, config: { ...config, routes } }) });
    for (const bot_id of names) {
      const admission = await world.recorded.arrive({ job_id: bot_id, bot_id }, [target('slack:#shop')]);
      const error = { class: 'permanent', code: bot_id, message: '' } as const;
      await world.recorded.claim();
      const updates = admission.deliveries.map(({ id }) => deadUpdate(id, error));
      await world.recorded.settle(admission, updates, 'gave_up');
      await world.store
        .run(`insert into snoozes (bot_key, bot_id, until_at, is_until_success, because, actor, created_at)
        values ('${bot_id}', '${bot_id}', 9e15, 0, '', '{"via":"api"}', 1)`);
    }
    for (const [path, row] of [
      ['/', /<small><bdi class="code" translate="no">(a-\d+)</g],
      ['/snoozes', /<bdi>(a-\d+)</g],
      ['/dead', /<small><bdi>(a-\d+):/g],
      ['/destinations', /<bdi class="code" translate="no">slack:#(a-\d+)</g],
    ] as const) {
      const seen: (string | undefined)[] = [];
      for (let next: string | undefined = path; next !== undefined;) {
        const { body } = await world.get(next);
        const found = [...body.matchAll(row)].map(([, name]) => name);
        expect(found, next).to.have.length.within(1, 100);
        seen.push(...found);
        next = /href="([^"]*)">Next page/.exec(body)?.[1]?.replaceAll('&amp;', '&');
        if (seen.length > names.length) break;
      }
      expect(seen.toSorted(), path).to.deep.equal(names);
    }
  });

  it('says on every view that the ledger cannot be read, and loses nobody’s way back', async () => {
    const gone = () => Promise.reject(new LedgerUnavailable('no answer'));
    const broken = Object.fromEntries(Object.keys(archiveReads).map((name) => [name, gone]));
    for (const archive of [world.services.archive, world.recorded.archive]) Object.assign(archive, broken);
    const paths = '/ /bots?bot_id=a /callbacks /callbacks/1 /reports /dead /refused /destinations';
    for (const path of paths.split(' ')) {
      const { status, body } = await world.get(path, { 'accept-language': 'ja' });
      expect(status, path).to.equal(503);
      expect(body, path).to.contain('現在、記録を読み込めません').and.to.contain(`href="${path}"`);
    }
  });
});
