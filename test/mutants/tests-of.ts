/** What mutants are made of, and the tests that have to notice them: files and folders, those that need no more than this process. */
const LEDGER = ['test/ledger/sqlite-contract', 'test/ledger/claim', 'test/ledger/keys', 'test/ledger/owners'];

export const TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  'src/route/': ['test/route/'],
  'src/signal/': ['test/signal/'],
  'src/incident/': ['test/incident/'],
  'src/report/': ['test/report/'],
  'src/callback/': ['test/callback/'],
  'src/channels/answers.ts': ['test/channels/answers', 'test/channels/retry-after'],
  'src/channels/email/smtp-errors.ts': ['test/channels/email/smtp-errors'],
  'src/deliver/outcome.ts': ['test/deliver/outcome', 'test/deliver/next'],
  'src/ledger/callbacks/': LEDGER,
  'src/ledger/deliveries/': LEDGER,
  'src/ledger/timers/': LEDGER,
  'src/ledger/incidents/': LEDGER,
  'src/ledger/days/': LEDGER,
  'src/ledger/shared/': LEDGER,
};
