const LEDGER = ['sqlite-contract', 'claim', 'keys', 'owners'].map((name) => `test/ledger/${name}`);

/** What mutants are made of, and the tests that have to notice them: files and folders, those that need no more than this process. */
export const TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  'src/route/': ['test/route/'],
  'src/signal/': ['test/signal/'],
  'src/incident/': ['test/incident/', 'test/deliver/escalation'],
  'src/report/': ['test/report/'],
  'src/callback/': ['test/callback/'],
  'src/channels/answers.ts': ['test/channels/answers'],
  'src/channels/email/smtp-errors.ts': ['test/channels/email/smtp-errors'],
  'src/deliver/outcome.ts': ['test/deliver/outcome', 'test/deliver/next'],
  'src/ledger/callbacks/': LEDGER,
  'src/ledger/deliveries/': LEDGER,
  'src/ledger/timers/': LEDGER,
  'src/ledger/incidents/': LEDGER,
  'src/ledger/days/': LEDGER,
  'src/ledger/shared/': LEDGER,
};
