/** A channel's own message: its parts rendered, with what the channel draws of the card where the template places it. */
import type { Card } from '../channels/card.ts';
import type { OwnMessages, RenderedParts, TemplateValue } from '../channels/channel.ts';
import { Escaped } from '../text/clean.ts';
import { isJsonObject } from '../text/json-object.ts';
import type { Rendering } from './engine.ts';
import { type Template, TemplateFault } from './template.ts';

type Drawing = Pick<OwnMessages<unknown>, 'draw'>;

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

function textsOf(drawn: ReturnType<Drawing['draw']>): Readonly<Record<string, Escaped>> {
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
  return Object.fromEntries(
    Object.entries(parts).map(([part, value]) => {
      if (!isList(value) || !value.some((item) => nameIn(item) !== undefined)) return [part, value];
      const drawn = messages.draw(card, part);
      return [
        part,
        value.flatMap((item, index) => itemsFor(item, drawn, () => template.placeOf([part, index]))),
      ];
    }),
  );
}

function itemsFor(
  item: TemplateValue,
  drawn: ReturnType<Drawing['draw']>,
  placeOf: () => TemplateFault['place'],
): readonly TemplateValue[] {
  const name = nameIn(item);
  if (name === undefined) return [item];
  const items = Object.hasOwn(drawn, name) ? drawn[name] : undefined;
  if (items === undefined || typeof items === 'string')
    throw new TemplateFault(
      placeOf(),
      `"${name}" cannot be drawn here: ${Object.keys(drawn).join(', ')} can`,
    );
  return items;
}

/** Of `{draw: name}`; undefined for anything else. */
function nameIn(item: TemplateValue): string | undefined {
  const name = isJsonObject(item) ? item['draw'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function isList(value: TemplateValue): value is readonly TemplateValue[] {
  return Array.isArray(value);
}
