/** What templates can know of the view of a callback: the members and the values of each variable. */
import { ALL_STATUSES } from '../../callback/callback.ts';
import type { FileView, OutputView } from './outputs.ts';
import { ANY, listOf, objectOf, oneOf, SCALAR, type ObjectShape, type Shape } from './shape.ts';

const FILE = objectOf({
  name: SCALAR,
  size: SCALAR,
  timestamp: SCALAR,
  ref: SCALAR,
  url: SCALAR,
} satisfies Record<keyof FileView, Shape>);

const OUTPUT = objectOf({
  name: SCALAR,
  kind: oneOf('scalar', 'list', 'files', 'other'),
  value: SCALAR,
  items: listOf(ANY),
  files: listOf(FILE),
} satisfies Record<keyof OutputView, Shape>);

/** Each of `VARIABLES`; `output` and `callback` are the sender's, with whatever members. */
export const CALLBACK_VIEW: ObjectShape = objectOf({
  code: SCALAR,
  job_id: SCALAR,
  bot_id: SCALAR,
  bot_name: SCALAR,
  status: oneOf(0, 1, 2),
  start_time: SCALAR,
  elapsed_time: SCALAR,
  output: ANY,
  message: SCALAR,
  callback: ANY,
  status_name: oneOf(...ALL_STATUSES),
  started_at: SCALAR,
  elapsed: SCALAR,
  outputs: listOf(OUTPUT),
  job_url: SCALAR,
  attempt: SCALAR,
});
