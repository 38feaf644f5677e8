/** What a Slack or a mail server that means harm can make of Botbell: nothing but a later message. */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from 'chai';
import pino from 'pino';
import type { SlackFault } from '../support/faulty-slack.ts';
import { type BridgeWorld, callback, createBridgeWorld, SMTP_PASSWORD } from '../support/bridge-world.ts';
import { until } from '../support/proof-wait.ts';

const HOUR_MS = 3_600_000;

const inBody = (retryAfter: unknown): SlackFault => ({
  kind: 'error',
  error: 'ratelimited',
  extra: { response_metadata: { retryAfter } },
});
const inHeader = (retryAfter: string): SlackFault => ({ kind: 'rate_limited', retryAfter });
const besideAnAnswer = (retryAfter: string): SlackFault => ({
  kind: 'status',
  status: 200,
  headers: { 'content-type': 'application/json', 'retry-after': retryAfter },
  body: '{"ok":false,"error":"ratelimited"}',
});

/** One of each way to ask; what each text asks for is shown beside `askedPause`. */
const PAUSES: readonly SlackFault[] = [inHeader('31536000'), besideAnAnswer('9'.repeat(400)), inBody(-1)];

const CONFIG = `
receiver: { listen: '127.0.0.1:0', answer_within: 1s }
default_route: { notify: [{ slack: '#ops' }] }`;

describe('A Slack that asks for an impossible pause', () => {
  const worlds: BridgeWorld[] = [];

  after(() => Promise.all(worlds.map((world) => world.close())));

  it('is left alone from a second to an hour, and whoever waits is taken over', async () => {
    for (const pause of PAUSES) {
      const world = await createBridgeWorld(CONFIG);
      worlds.push(world);
      // The same again where the pause was a second.
      world.slack.faults.push(...Array.from({ length: 20 }, () => pause));
      const { status, body } = await world.post(callback());
      expect(`${status} ${body.result}`).to.equal('200 taken_over');
      const inMs = Number(nextSlotIn(join(world.folder, 'botbell.db'))) - Date.now();
      expect(inMs, JSON.stringify(pause)).to.be.within(-10_000, HOUR_MS + 10_000);
    }
  });
});

function nextSlotIn(file: string): unknown {
  const database = new DatabaseSync(file);
  try {
    return (database.prepare('select next_at from paces').get() as { next_at: unknown }).next_at;
  } finally {
    database.close();
  }
}

describe('A mail server that repeats the login', () => {
  let world: BridgeWorld;
  const lines: string[] = [];

  before(async () => {
    // A log that hides nothing by itself.
    const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
    world = await createBridgeWorld(
      `
receiver: { listen: '127.0.0.1:0' }
delivery: { attempts_per_request: 1, permanent_attempts: 0, alerts: [operators] }
groups: { operators: [{ slack: '#ops' }] }
default_route: { notify: [{ email: [gone@example.com] }] }`,
      { logger },
    );
  });
  after(() => world.close());

  it('is quoted without it in answer, log, ledger, alert and metrics, however it spells it', async () => {
    const plain = Buffer.from(`\0bot\0${SMTP_PASSWORD}`);
    const spellings = [
      SMTP_PASSWORD,
      encodeURIComponent(SMTP_PASSWORD),
      Buffer.from(SMTP_PASSWORD).toString('base64'),
      plain.toString('base64'),
      plain.toString('base64url'),
      Buffer.from(`bot:${SMTP_PASSWORD}`).toString('base64'),
    ];
    const results = [];
    for (const spelling of spellings) {
      const text = `5.1.1 no such user after AUTH PLAIN ${spelling}`;
      world.mail.faults.push({ at: 'rcpt', does: 'refuse', code: 550, text, times: 1 });
      results.push(await world.post(callback()));
    }
    await until('the alert', () => world.slack.messages.length > 0);
    expect(results.map(({ body }) => body.result)).to.deep.equal(spellings.map(() => 'gave_up'));
    const seen = [
      JSON.stringify(results),
      lines.join(''),
      contentsOf(join(world.folder, 'botbell.db')),
      JSON.stringify(world.slack.messages),
      await world.metrics(),
    ];
    // The codes show that the words were not left out altogether.
    for (const text of seen.slice(1, 4)) expect(text).to.include('no such user').and.to.include('[secret]');
    for (const text of seen) for (const piece of piecesOf(spellings)) expect(text).not.to.include(piece);
  });
});

/** Of each spelling what would be enough to guess the rest. */
function piecesOf(spellings: readonly string[]): string[] {
  return spellings.map((spelling) => spelling.slice(-14, -4));
}

/** Every row of every table, as JSON. */
function contentsOf(file: string): string {
  const database = new DatabaseSync(file);
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all() as {
      name: string;
    }[];
    const rowsOf = (table: string): unknown => database.prepare(`select * from ${table}`).all();
    return JSON.stringify(tables.map(({ name }) => rowsOf(name)));
  } finally {
    database.close();
  }
}
