const LEDGER = [
  ...[
    'sqlite-contract',
    'claim',
    'keys',
    'owners',
    'people',
    'lost-rows',
    'unwritten-outcomes',
    'summary',
  ].map((name) => `test/ledger/${name}`),
  ...['escalation', 'signals', 'alerts', 'settings', 'claims', 'pace'].map((name) => `test/deliver/${name}`),
  ...['incident-chore', 'outage', 'series'].map((name) => `test/app/${name}`),
  'test/people/',
];

/** Titles of tests that need more than this process, or judge what the tests before them did. */
export const LEFT_OUT = / on PostgreSQL | finds by an index /;

/** What mutants are made of, and the tests that have to notice them: files and folders, those that need no more than this process. */
export const TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  'src/route/': ['test/route/'],
  'src/signal/': ['test/signal/'],
  'src/incident/': ['test/incident/', 'test/deliver/escalation'],
  'src/report/': ['test/report/'],
  'src/text/': [
    'test/text/',
    'test/signal/likeness',
    'test/render/s',
    'test/render/view',
    'test/config/secrets',
  ],
  'src/receive/': ['test/receive/'],
  'src/callback/': ['test/callback/', 'test/ledger/keys', 'test/text/json', 'test/receive/re'],
  'src/channels/answers.ts': ['test/channels/answers'],
  'src/channels/email/smtp-errors.ts': ['test/channels/email/smtp-errors'],
  'src/deliver/outcome.ts': ['test/deliver/outcome'],
  'src/ledger/callbacks/': [...LEDGER, 'test/ledger/store-space'],
  'src/ledger/deliveries/': LEDGER,
  'src/ledger/timers/': LEDGER,
  'src/ledger/incidents/': LEDGER,
  'src/ledger/days/': LEDGER,
  'src/ledger/shared/': [...LEDGER, 'test/ledger/sqlite-files'],
};
