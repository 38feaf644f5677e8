/** A channel's own message: its parts rendered, with what the channel draws of the card where the template places it. */
import type { Card } from '../channels/card.ts';
import type { OwnMessages, RenderedParts, TemplateValue } from '../channels/channel.ts';
import { Escaped } from '../text/clean.ts';
import { isJsonObject } from '../text/json-object.ts';
import type { Rendering } from './engine.ts';
import { isList, type Template, TemplateFault } from './template.ts';

type Drawing = Pick<OwnMessages<unknown>, 'draw'>;
type Drawn = ReturnType<Drawing['draw']>;

/** @throws {TemplateFault} */
export function renderOwn(
  template: Template,
  messages: Drawing,
  card: Card,
  rendering: Rendering,
): RenderedParts {
  return template.render(rendering, (part) => {
    rendering.globals = template.mayDraw ? { drawn: textsOf(messages.draw(card, part)) } : {};
  });
}

function textsOf(drawn: Drawn): Readonly<Record<string, Escaped>> {
  return Object.fromEntries(
    Object.entries(drawn).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, new Escaped(value)]] : [],
    ),
  );
}

/** Puts in place of each item `{draw: name}` what is drawn there. @throws {TemplateFault} nothing has that name */
export function placeDrawn(
  parts: RenderedParts,
  messages: Drawing,
  card: Card,
  template: Template,
): RenderedParts {
  if (!template.mayDraw) return parts;
  const place = (part: string, items: readonly TemplateValue[], drawn: Drawn) =>
    items.flatMap((item, index) => {
      const name = nameIn(item);
      if (name === undefined) return [item];
      const placed = Object.hasOwn(drawn, name) ? drawn[name] : undefined;
      if (placed !== undefined && typeof placed !== 'string') return placed;
      const message = `"${name}" cannot be drawn here: ${Object.keys(drawn).join(', ')} can`;
      throw new TemplateFault(template.problemAt([part, index], message));
    });
  return Object.fromEntries(
    Object.entries(parts).map(([part, value]) => [
      part,
      isList(value) ? place(part, value, messages.draw(card, part)) : value,
    ]),
  );
}

/** Of `{draw: name}`; undefined for anything else. */
function nameIn(item: TemplateValue): string | undefined {
  const name = isJsonObject(item) ? item['draw'] : undefined;
  return typeof name === 'string' ? name : undefined;
}
