/** Callbacks that `check` renders every template with: one that has everything, one that has only what it must. */
import type { Callback, StatusCode } from '../callback/callback.ts';

const FULL = {
  code: 200,
  job_id: '5f0c1f7e-8a37-4a52-9f0e-2f9c5f5a7d01',
  bot_id: 'sample',
  bot_name: 'Sample BOT',
  start_time: '2026-01-02T03:04:05Z',
  elapsed_time: 3661,
  message: 'What happened, in\ntwo lines.',
  output: {
    count: '2',
    items: [{ name: 'one', price: '500', tags: ['a', 'b'] }, 'two'],
    report: {
      type: 'files',
      files: [
        {
          ref: 'jobs/5f0c1f7e/files/1',
          meta: { name: 'report.pdf', size: 1_048_576, timestamp: 1_760_000_000_000 },
        },
      ],
    },
    nested: { a: { b: [1, null] } },
  },
} as const;

const BARE = {
  code: 0,
  job_id: 'j-1',
  bot_id: 'b',
  bot_name: 'b',
  start_time: '2026-01-02T03:04:05Z',
} as const;

export function samplesOf(status: StatusCode): readonly Callback[] {
  return [
    { ...FULL, status },
    { ...BARE, status },
  ];
}
