/** Who is told, held or let go by which rule, over a BOT's runs. */
import { expect } from 'chai';
import * as fc from 'fast-check';
import { type AskedRoute, type BurstWindow, decide, type Decision } from '../../src/signal/decide.ts';
import { likenessOf } from '../../src/signal/likeness.ts';
import { type Burst, NO_RULES, type Occasion, type RouteRules, type Snooze } from '../../src/signal/rules.ts';
import {
  NO_RESULTS,
  NOTHING_TOLD,
  type Streak,
  type ToldErrors,
  withResult,
} from '../../src/signal/streak.ts';

const MINUTE = 60_000;
const TIMEZONE = 'Asia/Tokyo';
/** Eight in the morning. */
const MORNING = Date.parse('2026-11-20T08:00:00+09:00');
/** A condition that no message meets. */
const UNMET = 'code == 1';
const ALL: readonly Occasion[] = ['succeeded', 'error', 'executing'];

interface Route extends Partial<RouteRules> {
  readonly on?: readonly Occasion[];
  readonly lateFor?: number;
}

interface Run {
  readonly status?: 'succeeded' | 'error' | 'executing';
  readonly message?: string;
  /** Of its start; by default it begins and ends at once. */
  readonly startedAt?: number;
  readonly botId?: string;
}

/** One destination, with all that the ledger keeps of one BOT there. */
class Place {
  now = MORNING;
  snoozes: readonly Snooze[] = [];
  burst: Burst | undefined;
  #streak: Streak = NO_RESULTS;
  #told: ToldErrors = NOTHING_TOLD;
  #window: BurstWindow | undefined;
  #routes: readonly AskedRoute[] = [];
  #lateFor = new Map<string, number>();

  constructor(...routes: readonly Route[]) {
    this.follow(...routes);
  }

  follow(...routes: readonly Route[]): void {
    this.#routes = routes.map(({ on = ALL, lateFor, ...rules }, index) => {
      const name = `routes[${index}]`;
      if (lateFor !== undefined) this.#lateFor.set(name, lateFor);
      return { name, on, rules: { ...NO_RULES, ...rules }, timer: name };
    });
  }

  run({ status = 'error', message = '', startedAt = this.now, botId = 'bot' }: Run = {}): Decision {
    const row = status === 'executing' ? undefined : this.#enter(startedAt, status === 'error');
    const likeness = likenessOf(message, '');
    return this.#decide({ botId, status, startedAt, row, likeness, unmet: [UNMET], isWanted: false });
  }

  /** `overdue` or `missed`. */
  say(): Decision {
    const own = {
      botId: 'bot',
      status: undefined,
      startedAt: this.now,
      row: undefined,
      likeness: '',
      unmet: [],
    };
    return this.#decide({ ...own, isWanted: true });
  }

  #enter(startedAt: number, isError: boolean) {
    const { streak, row } = withResult(this.#streak, { startedAt, isError });
    this.#streak = streak;
    return row;
  }

  #decide(subject: Parameters<typeof decide>[0]): Decision {
    const { snoozes, burst } = this;
    const known = { told: this.#told, lateFor: this.#lateFor, snoozes, burst, window: this.#window };
    const facts = { destination: 'slack:#ops', ...known };
    const decision = decide(subject, this.#routes, facts, { now: this.now, timezone: TIMEZONE });
    this.#told = decision.told;
    this.#window = decision.window;
    return decision;
  }
}

/** `tell`, `mute until 07:00`, `repeat`; with the template where it is another one. */
function shown({ ruling, telling }: Decision): string {
  const drawn = telling?.occasion === undefined ? '' : ` ${telling.occasion.template}`;
  if (ruling.does === 'tell') return `tell${drawn}`;
  if (ruling.does === 'let go') return ruling.rule;
  const { rule, until } = ruling;
  if (until === undefined) return `${rule} for ever${drawn}`;
  return `${rule} until ${new Date(until + 9 * 60 * MINUTE).toISOString().slice(11, 16)}${drawn}`;
}

/** How many errors it says were not told. */
function heldBackIn({ telling }: Decision): number {
  return telling?.heldBack ?? 0;
}

/** One letter a run, five minutes apart: `x` error, `o` success, `e` executing. */
function all(place: Place, runs: string): string[] {
  return runs.split('').map((letter) => {
    const status = letter === 'x' ? 'error' : letter === 'o' ? 'succeeded' : 'executing';
    const decision = place.run({ status });
    place.now += 5 * MINUTE;
    return shown(decision);
  });
}

function snooze(asked: Partial<Snooze>): Snooze {
  const until = MORNING + 60 * MINUTE;
  const nobody = {
    botId: undefined,
    destination: undefined,
    untilSuccess: false,
    because: 'known',
    by: 'me',
  };
  return { id: 1, until, ...nobody, ...asked };
}

describe('what a route asks for', () => {
  it('tells everything unless it asks for less', () => {
    expect(all(new Place({}), 'exo')).to.deep.equal(['tell', 'tell', 'tell']);
    expect(all(new Place({ on: ['error'] }), 'exo')).to.deep.equal(['on', 'tell', 'on']);
    expect(all(new Place({ when: UNMET }), 'ex')).to.deep.equal(['when', 'when']);
  });

  it('tells an error again after a while, and how many were held back', () => {
    const place = new Place({ repeat: 15 * MINUTE });
    const decisions = [0, 5, 10, 15, 20].map((minute) => {
      place.now = MORNING + minute * MINUTE;
      const decision = place.run();
      return `${shown(decision)} ${heldBackIn(decision)}`;
    });
    expect(decisions).to.deep.equal(['tell 0', 'repeat 0', 'repeat 1', 'tell 2', 'repeat 0']);
    expect(heldBackIn(place.run({ status: 'succeeded' }))).to.equal(1);
    expect(heldBackIn(place.run())).to.equal(0);
  });

  it('tells so whichever route told the error, and by its own conditions', () => {
    const apart = new Place({ on: ['error'] }, { on: ['recovered'] });
    expect(all(apart, 'xo')).to.deep.equal(['tell', 'tell recovered']);
    const unasked = new Place({ on: ['succeeded', 'error'] }, { on: ['recovered'], when: UNMET });
    expect(all(unasked, 'xo')).to.deep.equal(['tell', 'tell']);
  });

  it('tells what is late or missing whatever the rules before mute say', () => {
    const quiet = { on: [], when: UNMET, afterFailures: 9 } as const;
    expect(shown(new Place({ ...quiet, lateFor: 1 }).run({ status: 'succeeded' }))).to.equal('tell late');
    expect(shown(new Place(quiet).say())).to.equal('tell');
    expect(shown(new Place({ ...quiet, mute: [{}] }).say())).to.equal('mute for ever');
  });
});

describe('what holds a message until later', () => {
  const mute = [{ from: 7 * 60, to: 9 * 60, except: ['executing'] as const }];

  it('is mute or a snooze, whichever comes first, for as long as either does', () => {
    const place = new Place({ mute });
    expect(all(place, 'xeo')).to.deep.equal(['mute until 09:00', 'tell', 'mute until 09:00']);
    place.snoozes = [snooze({ destination: 'slack:#ops', until: MORNING + 90 * MINUTE })];
    expect(all(place, 'xe')).to.deep.equal(['mute until 09:30', 'snooze until 09:30']);
  });

  it('is a snooze of the BOT, of the destination, or of the one at the other', () => {
    const whom = (asked: Partial<Snooze>) => {
      const place = new Place({});
      place.snoozes = [snooze(asked)];
      return shown(place.run());
    };
    expect(whom({ botId: 'bot' })).to.equal('snooze until 09:00');
    expect(whom({ botId: 'other' })).to.equal('tell');
    expect(whom({ destination: 'slack:#ops' })).to.equal('snooze until 09:00');
    expect(whom({ botId: 'bot', destination: 'slack:#other' })).to.equal('tell');
    expect(whom({ botId: 'bot', until: MORNING })).to.equal('tell');
  });

  it('counts as told for what comes after', () => {
    const place = new Place({ on: ['error', 'recovered'], repeat: 60 * MINUTE, mute });
    expect(all(place, 'xxo')).to.deep.equal(['mute until 09:00', 'repeat', 'mute until 09:00 recovered']);
  });

  it('is a burst for as long as its window lasts', () => {
    const place = new Place({});
    place.burst = { max: 2, perMs: 20 * MINUTE };
    expect(all(place, 'xxxxxxx')).to.deep.equal([
      'tell',
      'tell',
      'burst until 08:20',
      'burst until 08:20',
      'tell',
      'tell',
      'burst until 08:40',
    ]);
    place.now = MORNING - 60 * MINUTE;
    expect(shown(place.run())).to.equal('tell');
  });

  it('is a burst that began a moment later by the clock of another process', () => {
    const place = new Place({});
    place.burst = { max: 1, perMs: MINUTE };
    expect(shown(place.run())).to.equal('tell');
    place.now -= 5;
    expect(shown(place.run())).to.equal('burst until 08:01');
  });

  it('does not count towards a burst', () => {
    const place = new Place({ mute });
    place.burst = { max: 1, perMs: 60 * MINUTE };
    expect(all(place, 'xx')).to.deep.equal(['mute until 09:00', 'mute until 09:00']);
    expect(shown(place.run({ status: 'executing' }))).to.equal('tell');
  });
});

describe('several routes to a destination', () => {
  const night = { from: 7 * 60, to: 9 * 60 };

  it('tell it if any of them does', () => {
    expect(all(new Place({ on: [] }, { mute: [night] }, {}), 'x')).to.deep.equal(['tell']);
    const place = new Place({ repeat: 60 * MINUTE }, { afterFailures: 2 });
    const decisions = [place.run(), place.run(), place.run()];
    expect(decisions.map(({ ruling }) => ruling.does)).to.deep.equal(['tell', 'tell', 'tell']);
    expect(decisions[1]?.routes).to.deep.equal([
      { route: 'routes[0]', does: 'let go', rule: 'repeat' },
      { route: 'routes[1]', does: 'tell' },
    ]);
    expect(decisions[2]?.telling).to.deep.equal({ wantedBy: ['routes[1]'] });
  });

  it('hold it until the first of them would tell', () => {
    const later = { from: 7 * 60, to: 10 * 60 };
    const place = new Place({ mute: [later] }, { mute: [{}] }, { mute: [night] });
    expect(all(place, 'x')).to.deep.equal(['mute until 09:00']);
  });

  it('name the one that tells it, where that is not the first that has its status', () => {
    const nights = { mute: [night] };
    const table: readonly (readonly [routes: readonly Route[], runs: string, teller: string | undefined])[] =
      [
        [[{}, {}], 'x', undefined],
        [[nights, {}], 'x', 'routes[1]'],
        [[{}, nights], 'x', undefined],
        [[{ afterFailures: 2 }, {}], 'x', 'routes[1]'],
        [[{ afterFailures: 2 }, {}], 'xx', undefined],
        [[{ when: UNMET }, nights, {}], 'x', 'routes[2]'],
        [[{ on: ['succeeded'] }, {}], 'x', undefined],
        [[{ on: ['error', 'recovered'] }, {}], 'xo', 'routes[0]'],
        [[{ on: ['error', 'recovered'] }], 'xo', undefined],
        [[nights, { when: UNMET }], 'x', 'routes[0]'],
      ];
    for (const [routes, runs, teller] of table) {
      const place = new Place(...routes);
      const decisions = runs
        .split('')
        .map((run) => place.run({ status: run === 'x' ? 'error' : 'succeeded' }));
      expect(decisions.at(-1)?.telling?.wantedBy?.[0], JSON.stringify([routes, runs])).to.equal(teller);
    }
    const own = new Place({ mute: [night] }, {}).say();
    expect(own.telling?.wantedBy, 'of what has no status').to.deep.equal(['routes[1]']);
  });

  it('let it go by the rule that comes last', () => {
    const place = new Place({ on: [] }, { afterFailures: 5 }, { when: UNMET });
    expect(place.run().ruling).to.deep.equal({ does: 'let go', rule: 'after_failures', route: 'routes[1]' });
  });
});

interface Came {
  readonly startedAt: number;
  readonly at: number;
  readonly isError: boolean;
  readonly message: string;
  isTold: boolean;
}

/** What is to be said of the last result, by looking through all that have come: those of one start as they came. */
function saidOf(result: Came, came: readonly Came[], route: Route): string {
  const byStart = came.toSorted((a, b) => a.startedAt - b.startedAt);
  const position = byStart.indexOf(result);
  const isWell = (at: number) => byStart[at]?.isError !== true;
  const first = byStart.findLastIndex(({ isError }, at) => at < position && !isError) + 1;
  const end = byStart.findIndex((_, at) => at >= position && isWell(at));
  const row = byStart.slice(first, end === -1 ? undefined : end);
  const told = came.filter((each) => row.includes(each) && each.isTold);
  if (result.isError) return saidOfError(result, row.length, end === -1 ? told.at(-1) : undefined, route);
  const { on = ALL } = route;
  // A success that began later, and has come before, has been told as the recovery.
  const isFirst = byStart.slice(position + 1).every(({ isError }) => isError);
  if (isFirst && told.length > 0 && on.includes('recovered')) return 'tell recovered';
  return on.includes('succeeded') ? 'tell' : 'on';
}

/** @param last the last one told of those in a row with it; undefined: none, or a success has ended them */
function saidOfError(
  result: Came,
  failures: number,
  last: Came | undefined,
  { on = ALL, afterFailures = 1, repeat }: Route,
): string {
  if (!on.includes('error')) return 'on';
  if (failures < afterFailures) return 'after_failures';
  const isSoon = typeof repeat === 'number' && last !== undefined && result.at - last.at < repeat;
  return isSoon || (repeat === 'changes' && last?.message === result.message) ? 'repeat' : 'tell';
}

describe('a night of runs', () => {
  const minute = fc.integer({ min: 0, max: 600 });
  const run = fc.record({
    came: minute,
    ran: fc.integer({ min: 0, max: 300 }),
    isError: fc.boolean(),
    message: fc.constantFrom('no rows', 'no answer'),
  });
  const route = fc.record({
    on: fc.subarray<Occasion>(['succeeded', 'error', 'recovered']),
    afterFailures: fc.integer({ min: 1, max: 3 }),
    repeat: fc.constantFrom('every' as const, 'changes' as const, 60 * MINUTE),
    mute: fc.constantFrom([], [{ from: 9 * 60, to: 11 * 60 }]),
  });

  it('is told as the rules say, whatever overtakes what', () => {
    fc.assert(
      fc.property(fc.array(run, { maxLength: 40 }), route, (runs, rules) => {
        const place = new Place({ ...rules, mute: [] });
        const results: Came[] = [];
        for (const { came, ran, isError, message } of runs.toSorted((a, b) => a.came - b.came)) {
          place.now = MORNING + came * MINUTE;
          const startedAt = place.now - ran * MINUTE;
          const result = { startedAt, at: place.now, isError, message, isTold: false };
          results.push(result);
          const said = shown(place.run({ status: isError ? 'error' : 'succeeded', message, startedAt }));
          expect(said).to.equal(saidOf(result, results, rules));
          result.isTold = said.startsWith('tell');
        }
      }),
      { numRuns: 300 },
    );
  });
});
