/** Fills in what a template leaves to the built-in one. */
import type { MessageFormat, RenderedParts } from '../channels/format.ts';
import type { Template } from './template.ts';
import type { View } from './view.ts';

/**
 * A part that the user's template leaves out is the built-in template's, unless the message does without it.
 * @throws {TemplateFault}
 */
export function completeParts(
  parts: RenderedParts,
  format: MessageFormat,
  builtIn: Template,
  view: View,
): RenderedParts {
  const missing = Object.entries(format.parts).filter(
    ([name, { mayBeLeftOut }]) => mayBeLeftOut !== true && !Object.hasOwn(parts, name),
  );
  if (missing.length === 0) return parts;
  return {
    ...parts,
    ...Object.fromEntries(missing.map(([name]) => [name, builtIn.renderPart(name, view) ?? ''])),
  };
}
