/** Which addresses a message may lead to: those that Botbell made by `display.links`, and no others. */
import type { OutputView } from '../channels/card.ts';

/** The value where it is the job's address or that of one of its files; else ''. */
export function ownAddress(view: LinkedView, value: unknown): string {
  if (typeof value !== 'string' || value === '') return '';
  const isOwn =
    view.job_url === value || view.outputs?.some(({ files }) => files.some(({ url }) => url === value));
  return isOwn === true ? value : '';
}

export interface LinkedView {
  readonly job_url?: string;
  readonly outputs?: readonly OutputView[];
}
