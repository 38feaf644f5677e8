/** What templates see: of a callback, and of an alert what happened to a message, in the display's language. */
import {
  ALL_STATUSES,
  type Callback,
  type StatusCode,
  type StatusName,
  statusNameOf,
} from '../../callback/callback.ts';
import { faultInJapanese, refusalInJapanese } from '../../callback/fault-words.ts';
import { FAILURE_CLASSES, failureInWords } from '../../channels/failure.ts';
import type { DisplayConfig } from '../../config/config.ts';
import {
  type AlertSubject,
  type OwnSubject,
  type TestSubject,
  type CallbackNotice,
  isAlert,
  type Notice,
  type RaisedAlert,
  type RefusedMessage,
  type TemplateName,
  type UndeliveredMessage,
} from '../../notice/notice.ts';
import { formatAge, formatElapsed, formatInstant } from '../../time/display.ts';
import { once, ownGetter } from './lazy.ts';
import type { Links } from './links.ts';
import { type OutputView, viewOutputs } from './outputs.ts';
import { CALLBACK_SHAPE, listOf, objectOf, type ObjectShape, oneOf, SCALAR, type Shape } from './shapes.ts';

/**
 * What `display.links` see: the fields of the callback interface, in its order. Own properties only, since templates see
 * nothing else; assigned one by one, which V8 does in a fraction of the time of a copy.
 */
class FieldsView {
  readonly code: Callback['code'];
  readonly job_id: string;
  readonly bot_id: string;
  readonly bot_name: string;
  readonly status: Callback['status'];
  readonly start_time: string;
  readonly elapsed_time: Callback['elapsed_time'];
  readonly output: Callback['output'];
  readonly message: Callback['message'];
  /** The whole body, for fields that the interface does not name. */
  readonly callback: Callback;
  readonly status_name: StatusName;

  constructor(callback: Callback) {
    this.code = callback.code;
    this.job_id = callback.job_id;
    this.bot_id = callback.bot_id;
    this.bot_name = callback.bot_name;
    this.status = callback.status;
    this.start_time = callback.start_time;
    this.elapsed_time = callback.elapsed_time ?? null;
    this.output = callback.output ?? null;
    this.message = callback.message ?? null;
    this.callback = callback;
    this.status_name = statusNameOf(callback);
  }
}

/** What the messages about a callback see. */
export class View extends FieldsView {
  static readonly #outputs = ownGetter((view: View) => view.#readOutputs());

  readonly attempt: number;
  /** Local time; as it came where it cannot be read. */
  readonly started_at: string;
  /** For people; '' where the callback gives none. */
  readonly elapsed: string;
  readonly job_url: string;
  /** How long ago it came, for people; '' unless a person has it told so late. */
  readonly delayed_by: string;
  declare readonly outputs: readonly OutputView[];
  readonly #readOutputs: () => readonly OutputView[];

  constructor(notice: CallbackNotice, display: DisplayConfig, links: Links) {
    const { callback, startedAt, timesReceived, delayedMs } = notice;
    super(callback);
    // Links see what the callback says, and nothing that is made of it.
    const fields = new FieldsView(callback);
    this.attempt = timesReceived;
    this.started_at = formatInstant(startedAt, display.timezone, display.language);
    this.elapsed = elapsedOf(callback, display);
    // Alerts that concern no job have none.
    this.job_url = callback.job_id === '' ? '' : links.job(fields);
    this.delayed_by = delayedMs === undefined ? '' : formatAge(delayedMs, display.language);
    this.#readOutputs = once(() => outputsOf(callback, fields, display, links));
    Object.defineProperty(this, 'outputs', View.#outputs);
  }
}

function outputsOf(
  callback: Callback,
  fields: FieldsView,
  display: DisplayConfig,
  links: Links,
): readonly OutputView[] {
  return viewOutputs(callback.output, {
    urlOf: (file) => links.file(fields, file),
    instantText: (ms) => formatInstant(ms, display.timezone, display.language),
  });
}

function elapsedOf(callback: Callback, { language }: DisplayConfig): string {
  const seconds = callback.elapsed_time;
  return seconds === undefined || seconds === null ? '' : formatElapsed(seconds, language);
}

/** What an alert names of all that is wrong with a body. */
const MOST_FAULTS = 5;

interface CommonView {
  readonly alert_name: AlertSubject['template'];
  /** Local time. */
  readonly raised_at: string;
  /** How many of the same cause were not told since the last one that was. */
  readonly suppressed: number;
}

/** Of `dead_letter` and `config_failure`. */
interface UndeliveredView extends CommonView {
  readonly destination: string;
  readonly channel: string;
  readonly error_class: string;
  readonly error_code: string;
  /** Why, and what to do about it. */
  readonly reason: string;
  /** The remote's own words; '' where it gave none, or `reason` has them. */
  readonly quote: string;
  /** 0 where it is unknown. */
  readonly attempts: number;
  /** Local time at which the callback came for the first time. */
  readonly since: string;
  /** Local time; '' where nothing more is attempted. */
  readonly gives_up_at: string;
  readonly job_id: string;
  readonly bot_id: string;
  readonly bot_name: string;
  /** '' where it is unknown, like its name. */
  readonly status: StatusCode | '';
  readonly status_name: StatusName | '';
  readonly job_url: string;
}

/** Of `refused`. */
interface RefusedView extends CommonView {
  /** Of the answer. */
  readonly http_status: number;
  readonly reason: string;
  /** One line each: the field's JSON pointer and what is wrong with it. */
  readonly faults: readonly string[];
  readonly more_faults: number;
  /** Its address; '' where it is unknown. */
  readonly sender: string;
}

/** Of `test`. */
interface TestView {
  readonly destination: string;
  readonly channel: string;
  /** Who had it sent; '' where that is not known. */
  readonly asked_by: string;
  /** Local time. */
  readonly sent_at: string;
}

type OwnView = UndeliveredView | RefusedView | TestView;

export type NoticeView = View | OwnView;

const COMMON = { alert_name: SCALAR, raised_at: SCALAR, suppressed: SCALAR } as const;

const UNDELIVERED = objectOf({
  ...COMMON,
  destination: SCALAR,
  channel: SCALAR,
  error_class: oneOf(...FAILURE_CLASSES),
  error_code: SCALAR,
  reason: SCALAR,
  quote: SCALAR,
  attempts: SCALAR,
  since: SCALAR,
  gives_up_at: SCALAR,
  job_id: SCALAR,
  bot_id: SCALAR,
  bot_name: SCALAR,
  status: oneOf(0, 1, 2, ''),
  status_name: oneOf(...ALL_STATUSES, ''),
  job_url: SCALAR,
} satisfies Record<keyof UndeliveredView, Shape>);

const REFUSED = objectOf({
  ...COMMON,
  http_status: SCALAR,
  reason: SCALAR,
  faults: listOf(SCALAR),
  more_faults: SCALAR,
  sender: SCALAR,
} satisfies Record<keyof RefusedView, Shape>);

const TEST = objectOf({
  destination: SCALAR,
  channel: SCALAR,
  asked_by: SCALAR,
  sent_at: SCALAR,
} satisfies Record<keyof TestView, Shape>);

/** Which variables the templates of each name have, and what can be in them. */
export const SHAPE_OF: Readonly<Record<TemplateName, ObjectShape>> = {
  succeeded: CALLBACK_SHAPE,
  error: CALLBACK_SHAPE,
  executing: CALLBACK_SHAPE,
  dead_letter: UNDELIVERED,
  config_failure: UNDELIVERED,
  refused: REFUSED,
  test: TEST,
};

export function viewOf(notice: Notice, display: DisplayConfig, links: Links): NoticeView {
  return isAlert(notice) ? createOwnView(notice.alert, display, links) : new View(notice, display, links);
}

function createOwnView(
  { subject, raisedAt, suppressed }: RaisedAlert<OwnSubject>,
  display: DisplayConfig,
  links: Links,
): OwnView {
  if (subject.template === 'test') return testView(subject, localTime(raisedAt, display));
  const common = { alert_name: subject.template, raised_at: localTime(raisedAt, display), suppressed };
  switch (subject.template) {
    case 'dead_letter':
    case 'config_failure':
      return { ...common, ...undeliveredView(subject, display, links) };
    case 'refused':
      return { ...common, ...refusedView(subject, display) };
  }
}

function testView({ destination, channel, askedBy }: TestSubject, sentAt: string): TestView {
  return { destination, channel, asked_by: askedBy, sent_at: sentAt };
}

function undeliveredView(
  subject: UndeliveredMessage & { readonly givesUpAt?: number },
  display: DisplayConfig,
  links: Links,
): Omit<UndeliveredView, keyof CommonView> {
  const { destination, channel, error, attempts, callback, since, givesUpAt } = subject;
  const { job_id, bot_id, bot_name, status } = callback;
  const reason = failureInWords(error, display.language);
  const status_name = statusNameOf({ status });
  const fields = { job_id, bot_id, bot_name, status, status_name } as const;
  return {
    destination,
    channel,
    error_class: error.class,
    error_code: error.code,
    reason,
    // The English words quote it already.
    quote: error.quote === undefined || reason.includes(error.quote) ? '' : error.quote,
    attempts,
    since: localTime(since, display),
    gives_up_at: givesUpAt === undefined ? '' : localTime(givesUpAt, display),
    ...fields,
    job_url: job_id === '' ? '' : links.job(fields),
  };
}

function refusedView(
  { httpStatus, detail, errors, from }: RefusedMessage,
  { language }: DisplayConfig,
): Omit<RefusedView, keyof CommonView> {
  const isJapanese = language === 'ja';
  return {
    http_status: httpStatus,
    reason: isJapanese ? refusalInJapanese(httpStatus, detail) : detail,
    faults: errors
      .slice(0, MOST_FAULTS)
      .map((error) =>
        isJapanese
          ? `${error.pointer}${faultInJapanese(error.detail)}`
          : `${error.pointer} ${error.detail}`.trim(),
      ),
    more_faults: Math.max(0, errors.length - MOST_FAULTS),
    sender: from,
  };
}

function localTime(ms: number, { timezone, language }: DisplayConfig): string {
  return formatInstant(ms, timezone, language);
}
