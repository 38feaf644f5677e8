/** What the demo posts, in order, and what goes wrong meanwhile. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { ofJob } from '../../callback/other-job.ts';
import type { DemoWorld } from './world.ts';

interface Scene {
  readonly title: string;
  /** File in the samples folder. */
  readonly sample: string;
  /** Sets the stage, e.g. a fault of a remote. */
  prepare?(world: DemoWorld): void;
  /** Not the one in the file: whoever posts that to the demo should see it told. */
  readonly jobId: string;
  /** Goes into the callback, so that one sample can stand for several. */
  readonly changes?: Readonly<Record<string, unknown>>;
}

/** As often as Botbell tries within one request, so that this request fails and the next one does not. */
const FAILING_ATTEMPTS = 2;

const jobOf = (number: number): string => `c1d2e3f4-0000-4000-8000-00000000000${number}`;

const LOGIN_FAILED = { message: 'ログインに失敗しました' };

export const SCENES: readonly Scene[] = [
  { title: 'A BOT has started', sample: 'executing.json', jobId: jobOf(1) },
  { title: 'The same job ends in an error', sample: 'error.json', jobId: jobOf(1) },
  {
    title: 'Another BOT succeeds, with outputs and a file',
    sample: 'succeeded.json',
    jobId: jobOf(2),
  },
  {
    title: 'An error while the mail server is out of order: Slack is told, the mail is not',
    sample: 'error.json',
    jobId: jobOf(3),
    changes: LOGIN_FAILED,
    prepare: ({ mail }) =>
      mail.faults.push({ at: 'rcpt', does: 'refuse', code: 451, text: 'try later', times: FAILING_ATTEMPTS }),
  },
  {
    title: 'The job service posts it again (30 s later; the demo does not wait): only the mail was missing',
    sample: 'error.json',
    jobId: jobOf(3),
    changes: LOGIN_FAILED,
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
    body: JSON.stringify({ ...ofJob(sample, scene.jobId), ...scene.changes }),
  });
  return { status: statusCode, body: (await body.json()) as SceneAnswer['body'] };
}
