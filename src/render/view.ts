/** The variables that templates see. */
import { statusNameOf } from '../callback/callback.ts';
import type { Callback, StatusName } from '../callback/callback.ts';
import { parseStartTime } from '../callback/start-time.ts';
import type { DisplayConfig } from '../config/config.ts';
import { formatElapsed, formatInstant } from '../time/display.ts';
import type { Links } from './links.ts';
import { once } from './once.ts';
import { viewOutputs } from './outputs.ts';
import type { OutputView } from './outputs.ts';
import { ownGetter } from './own-getter.ts';

/** Callback interface, "Callback payload", in its order. */
const FIELD_NAMES = [
  'code',
  'job_id',
  'bot_id',
  'bot_name',
  'status',
  'start_time',
  'elapsed_time',
  'output',
  'message',
] as const satisfies readonly (keyof Callback)[];

/** What `display.links` see. */
export const CALLBACK_VARIABLES: readonly string[] = [...FIELD_NAMES, 'callback', 'status_name'];

/** What message templates see. */
export const VARIABLES: readonly string[] = [
  ...CALLBACK_VARIABLES,
  'started_at',
  'elapsed',
  'outputs',
  'job_url',
  'attempt',
];

export interface CallbackView extends Pick<Callback, (typeof FIELD_NAMES)[number]> {
  /** The whole body, for fields that the interface does not name. */
  readonly callback: Callback;
  readonly status_name: StatusName;
}

export interface View extends CallbackView {
  /** Local time; as it came where it cannot be read. */
  readonly started_at: string;
  /** For people; '' where the callback gives none. */
  readonly elapsed: string;
  readonly outputs: readonly OutputView[];
  readonly job_url: string;
  readonly attempt: number;
}

/** Own properties only, since templates see nothing else; what only some templates show is worked out when it is asked for. */
export function createView(callback: Callback, attempt: number, display: DisplayConfig, links: Links): View {
  const fields = viewCallback(callback);
  const lazy = new LazyOutputs(() => outputsOf(callback, fields, display, links));
  return Object.assign(lazy, fields, {
    attempt,
    started_at: startedAt(callback.start_time, display),
    elapsed: elapsedOf(callback, display),
    // Alerts that concern no job have none.
    job_url: callback.job_id === '' ? '' : links.job(fields),
  });
}

class LazyOutputs {
  static readonly #outputs = ownGetter((view: LazyOutputs) => view.#read());

  declare readonly outputs: readonly OutputView[];
  readonly #read: () => readonly OutputView[];

  constructor(read: () => readonly OutputView[]) {
    this.#read = once(read);
    Object.defineProperty(this, 'outputs', LazyOutputs.#outputs);
  }
}

function viewCallback(callback: Callback): CallbackView {
  const { code, job_id, bot_id, bot_name, status, start_time, elapsed_time, output, message } = callback;
  return {
    code,
    job_id,
    bot_id,
    bot_name,
    status,
    start_time,
    elapsed_time: elapsed_time ?? null,
    output: output ?? null,
    message: message ?? null,
    callback,
    status_name: statusNameOf(callback),
  };
}

function outputsOf(
  callback: Callback,
  fields: CallbackView,
  display: DisplayConfig,
  links: Links,
): readonly OutputView[] {
  return viewOutputs(callback.output, {
    urlOf: (file) => links.file(fields, file),
    instantText: (ms) => formatInstant(ms, display.timezone, display.language),
  });
}

function startedAt(startTime: string, { timezone, language }: DisplayConfig): string {
  const instant = parseStartTime(startTime, timezone);
  return instant === undefined ? startTime : formatInstant(instant, timezone, language);
}

function elapsedOf(callback: Callback, { language }: DisplayConfig): string {
  const seconds = callback.elapsed_time;
  return seconds === undefined || seconds === null ? '' : formatElapsed(seconds, language);
}
