/** A problem as one line that editors and terminals can jump to. */
import { visibleOnOneLine } from '../text/visible.ts';
import type { Problem } from './config.ts';

/** `file:line:col: message`, or `file:line:col: warning: message`. */
export function formatProblem({ place, message, severity }: Problem): string {
  const prefix = severity === 'warning' ? 'warning: ' : '';
  return visibleOnOneLine(`${place.file}:${place.line}:${place.column}: ${prefix}${message}`);
}
