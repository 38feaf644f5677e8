/** The interface of rendering to the other stages: turns a notice and a destination into a composed message. */
import { isDeepStrictEqual } from 'node:util';
import { elapsedSecondsOf, statusNameOf } from '../callback/callback.ts';
import type { Card } from '../channels/card.ts';
import type { Composed, ComposeContext, MessageFormat, RenderedParts } from '../channels/channel.ts';
import type { DisplayConfig, Problem } from '../config/config.ts';
import { isAlert, type Notice, type TemplateName } from '../notice/notice.ts';
import { cardOf, type Filling, plainCard } from './card-template.ts';
import { type Choice, type RenderTarget, TemplateCatalog, type TemplateSources } from './catalog.ts';
import { checkTemplates } from './check.ts';
import { Conditions } from './condition.ts';
import { createLinks, type Links } from './links.ts';
import { isKnownInstant, type Language } from '../time/display.ts';
import type { Template } from './template.ts';
import { attachmentOf } from './report-view.ts';
import { viewOf } from './view.ts';

export interface TemplateFailure {
  /** The format's name; `when` for a condition, `body` for a hook's own message in the config. */
  readonly format: string;
  readonly template: TemplateName;
  /** What failed and where, for an operator; contains no text of the callback. */
  readonly message: string;
}

/** Results that all destinations of a notice share; its destinations are rendered one after the other. */
interface KnownNotice {
  readonly notice: Notice;
  readonly fillings: Record<Language, Filling | undefined>;
  /** By template; undefined: the template failed or took too long, and is not rendered again. */
  readonly cards: Map<Template, Card | undefined>;
  /** The parts of a channel's own message, by template; undefined as in `cards`. */
  parts: Map<Template, RenderedParts | undefined> | undefined;
  readonly composed: Map<MessageFormat, ComposedFor>;
}

interface ComposedFor {
  readonly choice: Choice;
  readonly target: RenderTarget;
  readonly composed: Composed;
}

type Report = (failure: string) => void;

/** Compiles each template once, at its first use. `check` reports the faults of user templates; rendering falls back to built-in ones. */
export class Renderer {
  readonly #catalog: TemplateCatalog;
  readonly #links: Links;
  readonly #displays: Readonly<Record<Language, DisplayConfig>>;
  readonly #conditions: Conditions;
  #latest: KnownNotice | undefined;

  constructor(sources: TemplateSources) {
    const { display } = sources;
    this.#catalog = new TemplateCatalog(sources);
    this.#links = createLinks(display);
    const inLanguage = (language: Language) => Object.assign({}, display, { language });
    this.#displays = { en: inLanguage('en'), ja: inLanguage('ja') };
    this.#conditions = new Conditions(display);
  }

  /** Never throws for foreign text or a failing user template: it then uses the built-in card and calls `onFailure`. */
  render(notice: Notice, target: RenderTarget, onFailure: (failure: TemplateFailure) => void): Composed {
    const { format } = target;
    const choice = this.#catalog.choose(target, notice.template);
    const shape = choice.own !== undefined && format.own?.isOnlyShape === true ? 'body' : format.name;
    const report: Report = (message) => onFailure({ format: shape, template: notice.template, message });
    const drawn = this.#drawnOf(notice);
    const known = drawn.composed.get(format);
    if (known?.choice === choice && isSameMessage(known.target, target)) return known.composed;
    const composed = this.#composed(choice, drawn, target, report);
    drawn.composed.set(format, { choice, target, composed });
    return composed;
  }

  #composed(choice: Choice, drawn: KnownNotice, target: RenderTarget, report: Report): Composed {
    const { format } = target;
    const card = this.#cardOf(choice, drawn, report);
    const { own } = choice;
    if (own && drawn.parts?.has(own) !== true)
      (drawn.parts ??= new Map()).set(own, this.#partsOf(own, drawn, card, format, report));
    const parts = own && drawn.parts?.get(own);
    const context = contextOf(drawn.notice, card, target);
    return (
      (parts && tried(report, () => format.own?.compose(parts, card, context))) ??
      tried(report, () => format.compose(card, context)) ??
      format.compose(plainCard(this.#filling(choice.builtIn, drawn)), context)
    );
  }

  #partsOf(own: Template, drawn: KnownNotice, card: Card, { own: kind }: MessageFormat, report: Report) {
    const { view } = this.#filling(own, drawn);
    const parts = tried(report, () => own.render(view, undefined, card));
    return parts ?? (kind?.isOnlyShape === true ? own.renderDespite(view, card) : undefined);
  }

  /** Whether a route's condition holds for a callback. A condition that fails counts as true, so that no message is lost. */
  holds(condition: string, notice: Notice, onFailure: (failure: TemplateFailure) => void): boolean {
    const report: Report = (fault) =>
      onFailure({ format: 'when', template: notice.template, message: `${condition}: ${fault}` });
    const { view } = this.#filling(this.#catalog.sources.display, this.#drawnOf(notice));
    return tried(report, () => this.#conditions.holds(condition, view)) ?? true;
  }

  get templateSets(): readonly string[] {
    return this.#catalog.setNames;
  }

  check(targets: Iterable<Omit<RenderTarget, 'options'>>): Promise<Problem[]> {
    return checkTemplates(this.#catalog, this.#links, targets);
  }

  #cardOf({ card, builtIn }: Choice, drawn: KnownNotice, report: Report): Card {
    for (const template of card === builtIn ? [card] : [card, builtIn]) {
      if (!drawn.cards.has(template)) {
        const filling = this.#filling(template, drawn);
        const limitMs = template === builtIn ? Infinity : undefined;
        const make = () => cardOf(template.render(filling.view, limitMs), filling);
        drawn.cards.set(template, tried(report, make));
      }
      const made = drawn.cards.get(template);
      if (made !== undefined) return made;
    }
    return plainCard(this.#filling(builtIn, drawn));
  }

  #filling({ language }: { readonly language: Language }, { notice, fillings }: KnownNotice): Filling {
    return (fillings[language] ??= {
      name: notice.template,
      language,
      view: viewOf(notice, this.#displays[language], this.#links),
      attachment: attachmentOf(notice),
    });
  }

  #drawnOf(notice: Notice): KnownNotice {
    if (this.#latest?.notice !== notice)
      this.#latest = {
        notice,
        fillings: { en: undefined, ja: undefined },
        cards: new Map(),
        parts: undefined,
        composed: new Map(),
      };
    return this.#latest;
  }
}

/** Whether both destinations of a format get the same message by the same template. */
function isSameMessage(one: RenderTarget, other: RenderTarget): boolean {
  const isSameName = one.format.namesDestination !== true || one.destination === other.destination;
  return isSameName && isDeepStrictEqual(one.options, other.options);
}

/** Notices that never mention anybody. */
const CALM: ReadonlySet<TemplateName> = new Set(['report', 'reload_refused']);

function contextOf(
  notice: Notice,
  { tone }: Card,
  { format, options, destination = format.name }: RenderTarget,
): ComposeContext {
  const { template } = notice;
  const isError = (tone === 'error' || tone === 'alert') && !CALM.has(template);
  // An overdue notice is Botbell's own message: it keeps its template and carries no callback.
  const callback = isAlert(notice) || template === 'overdue' ? undefined : notice.callback;
  const name = callback === undefined ? template : statusNameOf(callback);
  return { options, isError, destination, template: name, at: timeOf(notice), callback };
}

/** The end of the run if it is known and a date can hold it, else its start. */
function timeOf(notice: Notice): number {
  if (isAlert(notice)) return notice.alert.raisedAt;
  const { callback, startedAt } = notice;
  const end = startedAt + Math.round((elapsedSecondsOf(callback) ?? 0) * 1000);
  return isKnownInstant(end) ? end : startedAt;
}

function tried<Result>(report: Report, make: () => Result): Result | undefined {
  try {
    return make();
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
