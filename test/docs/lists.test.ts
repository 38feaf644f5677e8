/** What documents list is all there is, and nothing else: alerts, answers, chats, metrics, npm scripts. */
import { expect } from 'chai';
import { parse } from 'yaml';
import { channelTypes } from '../../src/channels/registry.ts';
import { createMetrics } from '../../src/observe/metrics.ts';
import { ALERT_SUBJECTS } from '../support/alerts.ts';
import { headingsOf, inlineCodeOf, readDocument } from '../support/documents.ts';

const CHATS = readDocument('docs/chats.md');
const CLOUD_BOT = readDocument('docs/senders/cloud-bot.md');

function alerts(): string[] {
  const { groups } = parse(readDocument('deploy/prometheus-rules.yaml')) as {
    groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
  };
  const ofPrometheus = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  return [...ALERT_SUBJECTS.map(({ template }) => template), ...ofPrometheus];
}

/** Of the endpoint, as OpenAPI describes them; 408 is among the answers to any request. */
function answers(): string[] {
  const { paths } = parse(readDocument('docs/openapi.yaml')) as {
    paths: Readonly<Record<string, { readonly post?: { readonly responses: object } }>>;
  };
  const statuses = Object.keys(paths['/callbacks']?.post?.responses ?? {});
  return [...new Set([...statuses.filter((status) => status !== 'default'), '408'])];
}

const chatsBut = (...others: readonly string[]) =>
  [...channelTypes.keys()].filter((type) => !others.includes(type));
const firstCells = (text: string, row: RegExp) => [...text.matchAll(row)].map(([, cell = '']) => cell);

const LISTS: Readonly<Record<string, readonly [listed: readonly string[], there: readonly string[]]>> = {
  'each alert of Botbell and of Prometheus, with what to do': [
    headingsOf(readDocument('docs/alerts.md')).flatMap(({ level, text }) => (level === 3 ? [text] : [])),
    alerts(),
  ],
  'what each answer to a callback costs at Cloud BOT': [
    firstCells(CLOUD_BOT, /^\| (\d{3}(?:, \d{3})*) +\|/gm).flatMap((cell) => cell.split(', ')),
    answers(),
  ],
  'each chat but those with pages of their own': [
    firstCells(CHATS, /^\| `(\w+)`/gm).filter((type) => type !== 'type'),
    chatsBut('slack', 'email', 'outbox'),
  ],
  'whether each chat is supported or experimental': [
    [...new Set(firstCells(CHATS, /^\| (?:supported|experimental) +\| ([^|]+)/gm).flatMap(inlineCodeOf))],
    chatsBut('outbox'),
  ],
};

describe('The documents', () => {
  for (const [what, [listed, there]] of Object.entries(LISTS))
    it(`list ${what}`, () => expect(listed.toSorted()).to.deep.equal(there.toSorted()));

  it('list each metric', async () => {
    const nothingKnown = () => Promise.resolve({ open: undefined, storeBytes: undefined, paused: 0 });
    const there = firstCells(await createMetrics('0').text(nothingKnown), /^# HELP (botbell_\w+)/gm);
    const [, section = ''] = readDocument('docs/operating.md').split('\n## Metrics\n');
    const listed = firstCells(section.split('\n## ')[0] ?? '', /^\| `([^`{]+)/gm);
    expect(listed.toSorted()).to.deep.equal(there.toSorted());
  });

  it('name only npm scripts that there are', () => {
    const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
    const named = ['README.md', 'CONTRIBUTING.md'].flatMap((document) =>
      firstCells(readDocument(document), /npm run (?:-s )?([\w:]+)/g),
    );
    expect(named.filter((script) => !(script in scripts))).to.deep.equal([]);
  });
});
