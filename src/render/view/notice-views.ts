/** What each template's name stands for: which variables it has, and how they are worked out. */
import type { DisplayConfig } from '../../config/config.ts';
import { isAlert, type Notice, type TemplateName } from '../../notice/notice.ts';
import { type AlertView, createAlertView, REFUSED_VARIABLES, UNDELIVERED_VARIABLES } from './alert-view.ts';
import type { Links } from './links.ts';
import { createView, VARIABLES, type View } from './view.ts';

export type NoticeView = View | AlertView;

/** What the templates of each name see. */
export const VARIABLES_OF: Readonly<Record<TemplateName, readonly string[]>> = {
  succeeded: VARIABLES,
  error: VARIABLES,
  executing: VARIABLES,
  dead_letter: UNDELIVERED_VARIABLES,
  config_failure: UNDELIVERED_VARIABLES,
  refused: REFUSED_VARIABLES,
};

export function viewOf(notice: Notice, display: DisplayConfig, links: Links): NoticeView {
  return isAlert(notice) ? createAlertView(notice.alert, display, links) : createView(notice, display, links);
}
