/** The variables that templates see. */
import { statusNameOf } from '../../callback/callback.ts';
import type { Callback, StatusName } from '../../callback/callback.ts';
import type { DisplayConfig } from '../../config/config.ts';
import type { CallbackNotice } from '../../notice/notice.ts';
import { formatElapsed, formatInstant } from '../../time/display.ts';
import type { Links } from './links.ts';
import { once } from '../once.ts';
import { viewOutputs } from './outputs.ts';
import type { OutputView } from './outputs.ts';
import { ownGetter } from './own-getter.ts';

/** Callback interface, "Callback payload", in its order. */
type FieldName =
  'code' | 'job_id' | 'bot_id' | 'bot_name' | 'status' | 'start_time' | 'elapsed_time' | 'output' | 'message';

/** What `display.links` see. */
export interface CallbackView extends Pick<Callback, FieldName> {
  /** The whole body, for fields that the interface does not name. */
  readonly callback: Callback;
  readonly status_name: StatusName;
}

/** What message templates see. */
export interface View extends CallbackView {
  /** Local time; as it came where it cannot be read. */
  readonly started_at: string;
  /** For people; '' where the callback gives none. */
  readonly elapsed: string;
  readonly outputs: readonly OutputView[];
  readonly job_url: string;
  readonly attempt: number;
}

export function createView(notice: CallbackNotice, display: DisplayConfig, links: Links): View {
  return new MessageView(notice, display, links);
}

/** Own properties only, since templates see nothing else; assigned one by one, which V8 does in a fraction of the time of a copy. */
class FieldsView implements CallbackView {
  readonly code: Callback['code'];
  readonly job_id: string;
  readonly bot_id: string;
  readonly bot_name: string;
  readonly status: Callback['status'];
  readonly start_time: string;
  readonly elapsed_time: Callback['elapsed_time'];
  readonly output: Callback['output'];
  readonly message: Callback['message'];
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

class MessageView extends FieldsView implements View {
  static readonly #outputs = ownGetter((view: MessageView) => view.#readOutputs());

  readonly attempt: number;
  readonly started_at: string;
  readonly elapsed: string;
  readonly job_url: string;
  declare readonly outputs: readonly OutputView[];
  readonly #readOutputs: () => readonly OutputView[];

  constructor({ callback, startedAt, timesReceived }: CallbackNotice, display: DisplayConfig, links: Links) {
    super(callback);
    // Links see what the callback says, and nothing that is made of it.
    const fields = new FieldsView(callback);
    this.attempt = timesReceived;
    this.started_at = formatInstant(startedAt, display.timezone, display.language);
    this.elapsed = elapsedOf(callback, display);
    // Alerts that concern no job have none.
    this.job_url = callback.job_id === '' ? '' : links.job(fields);
    this.#readOutputs = once(() => outputsOf(callback, fields, display, links));
    Object.defineProperty(this, 'outputs', MessageView.#outputs);
  }
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

function elapsedOf(callback: Callback, { language }: DisplayConfig): string {
  const seconds = callback.elapsed_time;
  return seconds === undefined || seconds === null ? '' : formatElapsed(seconds, language);
}
