/** `botbell test --report`: what was sent and answered, for a person who compares it with what the app shows. */
import { closeSync, rmSync } from 'node:fs';
import { readCallback } from '../../callback/decode.ts';
import type { Composed } from '../../channels/channel.ts';
import { type Notice, noticeOf } from '../../notice/notice.ts';
import { readVersion } from '../../package-files.ts';
import type { TestOutcome } from '../../people/test-message.ts';
import { escapeHtml as html } from '../../text/clean.ts';
import { openNew } from '../../text/new-file.ts';
import type { CommandContext } from '../context.ts';
import { pageOf } from './preview.ts';
import type { Words } from '../words.ts';

export interface TriedMessage {
  readonly composed: Composed;
  readonly outcome: TestOutcome;
}

/** What was sent to one destination: the test, a success, an error. */
export interface TriedDestination {
  readonly destination: string;
  /** The channel's type, as in the config. */
  readonly type: string;
  readonly messages: readonly TriedMessage[];
}

/** More lines than any chat shows. */
const LINES_OF_ERROR = 1000;

/** Results of a made-up BOT with all that a message can show. @param mark makes their jobs different from those of earlier tests */
export function specimens(say: Words, mark: string, now: Date): readonly Notice[] {
  const text = say('specimen.text');
  const rows = Array.from({ length: 30 }, (_, nr) => ({ Nr: nr, Name: `A & B <${nr}>`, OK: '✅' }));
  const meta = { name: 'test & 1.pdf', size: 603_956, timestamp: now.getTime() };
  const output = {
    Text: text,
    Address: 'https://example.com/?a=1&b=2#c',
    Rows: rows,
    Files: { type: 'files', files: [{ ref: 'botbell-test/1', meta }] },
  };
  const trace = Array.from({ length: LINES_OF_ERROR }, (_, step) => `  at step ${step} (test.js:${step}:1)`);
  const message = [`Error: ${text}`, ...trace].join('\n');
  const results = [
    { status: 0, code: 200, output },
    { status: 1, code: 500, message },
  ];
  return results.map((result) => {
    const job_id = `botbell-test-${mark}-${result.status}`;
    const run = { job_id, start_time: now.toISOString(), elapsed_time: 75 };
    const callback = { bot_id: 'botbell-test', bot_name: say('specimen.name'), ...run, ...result };
    return noticeOf(readCallback(Buffer.from(JSON.stringify(callback)), 'UTC'), 1);
  });
}

/** Called before anything is sent; leaves no file. @throws {FaultError} the file exists, or cannot be written */
export function refuseUnwritable(file: string): void {
  closeSync(openNew(file));
  rmSync(file);
}

/** In the order in which a reader looks at a message. */
const CHECKS = [
  'look.there',
  'look.title',
  'look.mention',
  'look.cut',
  'look.list',
  'look.signs',
  'look.address',
  'look.phone',
  'look.open',
] as const;

/** @param hide removes every secret from a text */
export function reportPage(
  { say, speaks: { language } }: Pick<CommandContext, 'say' | 'speaks'>,
  tried: readonly TriedDestination[],
  { at, hide }: { readonly at: Date; readonly hide: (text: string) => string },
): string {
  const sections = tried.map((each) => sectionOf(say, each, { at, hide }));
  const title = say('seen.title');
  return pageOf(
    title,
    [`<h1>${html(title)}</h1>`, `<p>${html(say('seen.what'))}</p>`, ...sections].join('\n'),
    language,
  );
}

function sectionOf(
  say: Words,
  tried: TriedDestination,
  { at, hide }: Parameters<typeof reportPage>[2],
): string {
  // As text, in which secrets are not encoded, so that `hide` finds them.
  const messages = tried.messages.map(
    ({ composed, outcome: { words } }) => `<p>${html(words)}</p><pre>${html(hide(composed.asText()))}</pre>`,
  );
  return `<section><h2>${html(tried.destination)}</h2>
${messages.join('\n')}
<h2>${html(say('seen.form'))}</h2>
<textarea readonly rows="${CHECKS.length + 8}">${html(formOf(say, tried, at))}</textarea></section>`;
}

/** Names the channel's type, never an address: everybody can read what is pasted into an issue. */
function formOf(say: Words, { type, messages }: TriedDestination, at: Date): string {
  const answers = messages.map(({ outcome: { isDelivered, errorClass, errorCode } }) =>
    isDelivered ? 'ok' : `${errorClass} ${errorCode}`,
  );
  return [
    `${type}, ${at.toISOString().slice(0, 10)}, Botbell ${readVersion()}, Node ${process.version}, ${process.platform}`,
    say('seen.answers', { answers: answers.join('; ') }),
    say('seen.app'),
    ...CHECKS.map((check) => `- [ ] ${say(check)}`),
    say('seen.else'),
  ].join('\n');
}
