/** Fills in what a template leaves to the built-in one. */
import type { MessageFormat, RenderedParts } from '../../channels/format.ts';
import type { NoticeView } from '../view/notice-view.ts';
import type { Template } from './template.ts';

/**
 * A part that the user's template leaves out is the built-in template's, unless the message does without it.
 * @throws {TemplateFault}
 */
export function completeParts(
  parts: RenderedParts,
  format: MessageFormat,
  builtIn: Template,
  view: NoticeView,
): RenderedParts {
  let complete = parts;
  for (const name of Object.keys(format.parts)) {
    if (format.parts[name]?.mayBeLeftOut === true || Object.hasOwn(complete, name)) continue;
    complete = { ...complete, [name]: builtIn.renderPart(name, view) ?? '' };
  }
  return complete;
}
