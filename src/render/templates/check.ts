/** Everything that is wrong with the templates which a config uses, found before anything is sent. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ALL_STATUSES, type Callback, type StatusCode, type StatusName } from '../../callback/callback.ts';
import type { OldMessageFormat as MessageFormat, RenderedParts } from '../../channels/channel.ts';
import type { Problem } from '../../config/config.ts';
import {
  type Notice,
  noticeOf,
  noticeOfAlert,
  type OwnName,
  type OwnSubject,
  TEMPLATE_NAMES,
  type TemplateName,
  type UndeliveredMessage,
} from '../../notice/notice.ts';
import type { Links } from '../view/links.ts';
import { type NoticeView, viewOf } from '../view/view.ts';
import { type Choice, problemWith, type RenderTarget, type TemplateCatalog } from './catalog.ts';
import { completeParts, type Template, TemplateFault } from './template.ts';

/** A busy machine may stop the process for longer than a template may take; good templates must not fail for that. */
const MOST_ATTEMPTS = 3;

interface CheckContext {
  readonly catalog: TemplateCatalog;
  readonly links: Links;
}

/** Each problem once, however many targets share the template. */
export function checkTemplates(context: CheckContext, targets: readonly RenderTarget[]): Problem[] {
  return distinct([...checks(context, targets)].flat());
}

/** The same, with a turn for everybody else after each template. */
export async function checkTemplatesInTurns(
  context: CheckContext,
  targets: readonly RenderTarget[],
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const found of checks(context, targets)) {
    problems.push(...found);
    await nextTurn();
  }
  return distinct(problems);
}

function distinct(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

/** A template at a time: one takes some milliseconds. */
function* checks(
  context: CheckContext,
  targets: readonly RenderTarget[],
): Generator<readonly Problem[], void, undefined> {
  yield context.links.problems;
  yield context.catalog.problems;
  for (const target of targets) yield checkSet(context, target);
  for (const target of targets) yield* checkTarget(context, target);
}

function checkSet({ catalog }: CheckContext, { templateSet, place }: RenderTarget): readonly Problem[] {
  const message = templateSet === undefined ? undefined : catalog.missingSet(templateSet);
  if (message === undefined) return [];
  return [
    place === undefined ? problemWith('templates', 'error', message) : { place, message, severity: 'error' },
  ];
}

function* checkTarget(
  context: CheckContext,
  { format: name, templateSet }: RenderTarget,
): Generator<readonly Problem[], void, undefined> {
  const format = context.catalog.options.formats.find((each) => each.name === name);
  if (format === undefined) return;
  for (const template of TEMPLATE_NAMES) {
    yield checkChoice(context, context.catalog.choose(templateSet, name, template), format, template);
  }
}

function checkChoice(
  context: CheckContext,
  choice: Choice,
  format: MessageFormat,
  name: TemplateName,
): readonly Problem[] {
  // The built-in ones are held to all of this by the tests.
  if (choice.chosen === choice.builtIn) return [];
  const problems = choice.chosen.findProblems();
  if (choice.chosen.isBroken) return problems;
  return [...problems, ...samplesOf(name).flatMap((sample) => checkSample(context, choice, format, sample))];
}

function checkSample(
  context: CheckContext,
  choice: Choice,
  format: MessageFormat,
  sample: Notice,
): readonly Problem[] {
  const view = viewOf(sample, context.catalog.options.display, context.links);
  try {
    const parts = renderInTime(context, choice, view);
    return inspectParts(completeParts(parts, format, choice.builtIn, view), choice.chosen, format);
  } catch (error) {
    return [failureProblem(error, choice.chosen)];
  }
}

/** @throws {Error} whatever keeps the template from being rendered every time */
function renderInTime({ catalog }: CheckContext, { chosen }: Choice, view: NoticeView): RenderedParts {
  for (let attempt = 1; ; attempt += 1) {
    catalog.options.meter.start();
    try {
      return chosen.render(view);
    } catch (error) {
      if (attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** Parts that are not composed yet still stand where the template has them, so that faults can be placed. */
function inspectParts(parts: RenderedParts, template: Template, format: MessageFormat): readonly Problem[] {
  return format
    .inspect(parts)
    .map(({ path, message }): Problem => ({ place: template.placeOf(path), message, severity: 'error' }));
}

function failureProblem(error: unknown, template: Template): Problem {
  const place = error instanceof TemplateFault ? error.place : template.placeOf([]);
  return { place, message: error instanceof Error ? error.message : String(error), severity: 'error' };
}

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

const CAME_AT = Date.parse(FULL.start_time);
const DAY_MS = 86_400_000;

function undelivered(
  fields: Pick<Callback, 'job_id' | 'bot_id' | 'bot_name'>,
  quote: string | undefined,
): UndeliveredMessage {
  const { job_id, bot_id, bot_name } = fields;
  const error = {
    class: 'config',
    code: 'sample_code',
    message: 'A sample of what a remote answers.',
  } as const;
  return {
    destination: 'channel:address',
    channel: 'channel',
    error: quote === undefined ? error : { ...error, quote },
    attempts: 3,
    callback: { job_id, bot_id, bot_name, status: 1 },
    since: CAME_AT,
  };
}

const FULLY = undelivered(FULL, '550 "No such user" here');
const BARELY = undelivered(BARE, undefined);

const SUBJECTS: Readonly<Record<OwnName, readonly [full: OwnSubject, bare: OwnSubject]>> = {
  dead_letter: [
    { template: 'dead_letter', ...FULLY },
    { template: 'dead_letter', ...BARELY },
  ],
  config_failure: [
    { template: 'config_failure', ...FULLY, givesUpAt: CAME_AT + DAY_MS },
    { template: 'config_failure', ...BARELY, givesUpAt: CAME_AT + DAY_MS },
  ],
  refused: [
    {
      template: 'refused',
      httpStatus: 422,
      detail: 'This is JSON, but not a callback.',
      errors: Array.from({ length: 7 }, () => ({
        pointer: '/status',
        detail: 'must be 0, 1 or 2, found null',
      })),
      from: '192.0.2.1',
    },
    { template: 'refused', httpStatus: 400, detail: 'The body is empty.', errors: [], from: '192.0.2.1' },
  ],
  test: [
    { template: 'test', destination: 'channel:address', channel: 'channel', askedBy: 'admin' },
    { template: 'test', destination: 'channel:address', channel: 'channel', askedBy: '' },
  ],
};

function samplesOf(name: TemplateName): readonly Notice[] {
  if (!isStatusName(name))
    return SUBJECTS[name].map((subject, index) => sampleOfAlert(subject, 2 - 2 * index));
  const status = ALL_STATUSES.indexOf(name) as StatusCode;
  const sampleOf = (fields: typeof FULL | typeof BARE) =>
    noticeOf({ callback: { ...fields, status }, startedAt: CAME_AT }, 1);
  return [{ ...sampleOf(FULL), delayedMs: DAY_MS }, sampleOf(BARE)];
}

function isStatusName(name: TemplateName): name is StatusName {
  return (ALL_STATUSES as readonly string[]).includes(name);
}

function sampleOfAlert(subject: OwnSubject, suppressed: number): Notice {
  return noticeOfAlert({ id: '0'.repeat(64), raisedAt: CAME_AT + DAY_MS, suppressed, subject });
}
