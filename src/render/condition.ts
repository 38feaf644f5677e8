/** Conditions of routes (`when`) and hooks (`ok`): one line of Liquid, over a callback's view or an answer. Numbers in strings are compared as numbers. */
import type { Liquid, Template } from 'liquidjs';
import { fault as faultOf } from '../config/words.ts';
import type { Fault } from '../text/fault.ts';
import type { DisplayConfig } from '../config/config.ts';
import { createEngine, TIME_LIMIT_MS } from './engine.ts';
import { findUnknownVariables, parseLiquid } from './liquid-faults.ts';
import { createLinks } from './links.ts';
import { COMPARING } from './operators.ts';
import { lazily } from './outputs.ts';
import { samplesOf } from './samples.ts';
import { isWhole, slipIn } from './slips.ts';
import { viewOf } from './view.ts';

const BEGIN = '{% if ';
const END = ' %}holds{% endif %}';

const MARKUP = /\{[{%]|[%}]\}/;

const PLAIN_DISPLAY: DisplayConfig = { timezone: 'UTC', language: 'en', links: {} };

/** What is wrong with a condition; undefined: nothing is. @param of the names of its variables; by default a callback's */
export function conditionFault(condition: string, of?: readonly string[]): Fault | undefined {
  const { liquid, names: ofCallback } = checker();
  const names = of ?? ofCallback;
  const { templates = [], fault } = parseLiquid(liquid, BEGIN + condition + END);
  if (condition.trim() === '' || MARKUP.test(condition)) return faultOf('condition.none');
  const slip = slipIn(condition)?.what ?? fault?.what;
  if (slip === undefined && !isWhole(condition, liquid)) return faultOf('condition.none');
  return slip ?? findUnknownVariables(liquid, templates, names)[0]?.what;
}

/** Shared, since a config may have thousands of conditions. */
const checker = lazily(() => {
  const view = viewOf(samplesOf('succeeded')[0], PLAIN_DISPLAY, createLinks(PLAIN_DISPLAY));
  return { liquid: engineFor(PLAIN_DISPLAY), names: Object.keys(view) };
});

/** Evaluates conditions, each compiled once. */
export class Conditions {
  readonly #liquid: Liquid;
  readonly #compiled = new Map<string, Template[]>();

  constructor(display: DisplayConfig) {
    this.#liquid = engineFor(display);
  }

  /** @throws {Error} liquidjs' own: a filter rejects its value, or a limit is exceeded */
  holds(condition: string, view: object): boolean {
    const templates = this.#compiled.get(condition) ?? this.#liquid.parse(BEGIN + condition + END);
    this.#compiled.set(condition, templates);
    return this.#liquid.renderSync(templates, view, { renderLimit: TIME_LIMIT_MS }) === 'holds';
  }
}

const ofAnswers = lazily(() => new Conditions(PLAIN_DISPLAY));

/** Implements `MeetsCondition` of a channel's environment. */
export function meetsCondition(condition: string, values: object): boolean {
  try {
    return ofAnswers().holds(condition, values);
  } catch {
    return false;
  }
}

function engineFor(display: DisplayConfig): Liquid {
  return createEngine(display, undefined, COMPARING);
}
