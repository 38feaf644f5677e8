/** What the demo posts, in order, and what goes wrong meanwhile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import type { DemoWorld } from './demo-world.ts';

export interface Scene {
  readonly title: string;
  /** File in the samples folder. */
  readonly sample: string;
  /** Sets the stage, e.g. a fault of a remote. */
  prepare?(world: DemoWorld): void;
  /** Goes into the callback, so that one sample can stand for several. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** As often as Botbell tries within one request, so that this request fails and the next one does not. */
const FAILING_ATTEMPTS = 2;

/** Not the one in the files: whoever posts one of those to the demo should see it told. */
const FIRST_JOB = { job_id: 'c1d2e3f4-0000-4000-8000-000000000001' };

export const SCENES: readonly Scene[] = [
  { title: 'A BOT has started', sample: 'executing.json', changes: FIRST_JOB },
  { title: 'The same job ends in an error', sample: 'error.json', changes: FIRST_JOB },
  {
    title: 'Another BOT succeeds, with outputs and a file',
    sample: 'succeeded.json',
    changes: { job_id: 'c1d2e3f4-0000-4000-8000-000000000002' },
  },
  {
    title: 'An error while the mail server is out of order: Slack is told, the mail is not',
    sample: 'error.json',
    changes: { job_id: 'c1d2e3f4-0000-4000-8000-000000000003', message: 'ログインに失敗しました' },
    prepare: ({ mail }) =>
      mail.faults.push({ at: 'rcpt', does: 'refuse', code: 451, text: 'try later', times: FAILING_ATTEMPTS }),
  },
  {
    title: 'The job service posts it again (30 s later; the demo does not wait): only the mail was missing',
    sample: 'error.json',
    changes: { job_id: 'c1d2e3f4-0000-4000-8000-000000000003', message: 'ログインに失敗しました' },
  },
];

export interface SceneAnswer {
  /** HTTP status code. */
  readonly status: number;
  readonly body: {
    readonly result?: string;
    readonly deliveries?: readonly {
      readonly destination: string;
      readonly state: string;
      readonly error?: string;
    }[];
  };
}

/** Posts the scene's callback as the job service would. */
export async function play(scene: Scene, samples: string, url: string): Promise<SceneAnswer> {
  const sample = JSON.parse(readFileSync(join(samples, scene.sample), 'utf8')) as Record<string, unknown>;
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...sample, ...scene.changes }),
  });
  return { status: statusCode, body: (await body.json()) as SceneAnswer['body'] };
}
