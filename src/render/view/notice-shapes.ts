/** What the templates of each name can know of their view: its members and their values. */
import { ALL_STATUSES } from '../../callback/callback.ts';
import { FAILURE_CLASSES } from '../../channels/failure.ts';
import type { TemplateName } from '../../notice/notice.ts';
import { REFUSED_VARIABLES, UNDELIVERED_VARIABLES } from './alert-view.ts';
import { listOf, objectOf, oneOf, SCALAR, type ObjectShape, type Shape } from './shape.ts';
import { CALLBACK_VIEW } from './view-shape.ts';

const UNDELIVERED = objectOf({
  ...scalars(UNDELIVERED_VARIABLES),
  error_class: oneOf(...FAILURE_CLASSES),
  status: oneOf(0, 1, 2, ''),
  status_name: oneOf(...ALL_STATUSES, ''),
});

const REFUSED = objectOf({
  ...scalars(REFUSED_VARIABLES),
  faults: listOf(SCALAR),
});

/** What the templates of each name see. */
export const SHAPE_OF: Readonly<Record<TemplateName, ObjectShape>> = {
  succeeded: CALLBACK_VIEW,
  error: CALLBACK_VIEW,
  executing: CALLBACK_VIEW,
  dead_letter: UNDELIVERED,
  config_failure: UNDELIVERED,
  refused: REFUSED,
};

function scalars(names: readonly string[]): Record<string, Shape> {
  return Object.fromEntries(names.map((name) => [name, SCALAR]));
}
