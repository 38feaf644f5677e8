import { expect } from 'chai';
import { type AskedRoute, type BurstWindow, decide, type Decision } from '../../src/signal/decide.ts';
import { likenessOf } from '../../src/text/gist.ts';
import { type Burst, NO_RULES, type Occasion, type RouteRules, type Snooze } from '../../src/signal/rules.ts';
import { NO_RESULTS, NOTHING_TOLD, type Streak, type ToldErrors } from '../../src/signal/streak.ts';
import { withResult } from '../../src/signal/streak.ts';

const MINUTE = 60_000;
const TIMEZONE = 'Asia/Tokyo';
const MORNING = Date.parse('2026-11-20T08:00:00+09:00');
/** A condition that no message meets. */
const UNMET = 'code == 1';
const ALL: readonly Occasion[] = ['succeeded', 'error', 'executing'];

interface Route extends Partial<RouteRules> {
  readonly on?: readonly Occasion[];
  readonly lateFor?: number;
}

type Run = Partial<{ status: 'succeeded' | 'error' | 'executing'; message: string; startedAt: number }>;

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
    this.#routes = routes.map(({ on = ALL, lateFor, ...rules }, index) => {
      const name = `routes[${index}]`;
      if (lateFor !== undefined) this.#lateFor.set(name, lateFor);
      return { name, on, rules: { ...NO_RULES, ...rules }, timer: name };
    });
  }

  run({ status = 'error', message = '', startedAt = this.now }: Run = {}): Decision {
    const row = status === 'executing' ? undefined : this.#enter(startedAt, status === 'error');
    const likeness = likenessOf(message, '');
    const subject = { id: 0, botId: 'bot', status, startedAt, row, isNeverLetGo: false };
    return this.#decide({ ...subject, likeness, unmet: [UNMET] });
  }

  /** `overdue` or `missed`; with a status, what had been held and is asked for again. */
  say(status?: Run['status']): Decision {
    const own = { id: 0, botId: 'bot', status, startedAt: this.now, row: undefined, isNeverLetGo: true };
    return this.#decide({ ...own, likeness: '', unmet: [] });
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

/** One letter a run, five minutes apart: `x` error, `o` success, `e` executing. */
function all(place: Place, runs: string): Decision[] {
  return runs.split('').map((letter) => {
    const decision = place.run({
      status: letter === 'x' ? 'error' : letter === 'o' ? 'succeeded' : 'executing',
    });
    place.now += 5 * MINUTE;
    return decision;
  });
}

function snooze(asked: Partial<Snooze>): Snooze {
  const nobody = { botId: undefined, destination: undefined, isUntilSuccess: false, because: '', by: 'me' };
  return { id: 1, until: MORNING + 60 * MINUTE, ...nobody, ...asked };
}

const HERE = { destination: 'slack:#ops' };
const TO_NINE = { mute: [{ from: 7 * 60, to: 9 * 60, except: ['executing'] as const }] };
const TO_TEN = { mute: [{ from: 7 * 60, to: 10 * 60 }] };
const FOR_EVER = { mute: [{}] };

type Case = readonly [
  routes: readonly Route[],
  runs: string,
  are: string,
  more?: { readonly snoozed?: Partial<Snooze>; readonly burst?: Burst },
];

const snoozed = (asked: Partial<Snooze>) => ({ snoozed: asked });
const burst = (max: number, minutes: number) => ({ burst: { max, perMs: minutes * MINUTE } });
const BOTH_HELD = 'mute until 09:30, snooze until 09:30';
const TWO_HELD = 'tell, tell, burst until 08:20, burst until 08:20';

const TABLE: Readonly<Record<string, readonly Case[]>> = {
  'as told as its routes ask': [
    [[{}], 'exo', 'tell, tell, tell'],
    [[{ on: ['error'] }], 'exo', 'on, tell, on'],
    [[{ when: UNMET }], 'ex', 'when, when'],
    [[{ when: 'code == 2' }], 'ex', 'tell, tell'],
  ],
  'a recovery from an error that whichever route told, by its own conditions': [
    [[{ on: ['error'] }, { on: ['recovered'] }], 'xxo', 'tell, tell, tell recovered'],
    [[{}, { on: ['recovered'], when: UNMET }], 'xo', 'tell, tell'],
  ],
  'held by mute or a snooze, whichever comes first, for as long as either does': [
    [[TO_NINE], 'xeo', 'mute until 09:00, tell, mute until 09:00'],
    [[TO_NINE], 'xe', BOTH_HELD, snoozed({ ...HERE, until: MORNING + 90 * MINUTE })],
  ],
  'held by a snooze of the BOT, of the destination, or of the one at the other': [
    [[{}], 'x', 'snooze until 09:00', snoozed({ botId: 'bot' })],
    [[{}], 'x', 'tell', snoozed({ botId: 'other' })],
    [[{}], 'x', 'snooze until 09:00', snoozed(HERE)],
    [[{}], 'x', 'tell', snoozed({ botId: 'bot', destination: 'slack:#other' })],
    [[{}], 'x', 'tell', snoozed({ botId: 'bot', until: MORNING })],
  ],
  'told, for what comes after, when held': [
    [
      [{ on: ['error', 'recovered'], repeat: 60 * MINUTE, ...TO_NINE }],
      'xxo',
      'mute until 09:00, repeat, mute until 09:00 recovered',
    ],
  ],
  'held by a burst for as long as its window lasts, in which nothing counts that is held': [
    [[{}], 'xxxxxxx', `${TWO_HELD}, tell, tell, burst until 08:40`, burst(2, 20)],
    [[TO_NINE], 'xxee', 'mute until 09:00, mute until 09:00, tell, burst until 09:10', burst(1, 60)],
  ],
  'told if any of its routes tells, else held until the first would, else let go by the last rule': [
    [[{ on: [] }, TO_NINE, {}], 'x', 'tell'],
    [[{ repeat: 60 * MINUTE }, { afterFailures: 2 }], 'xxx', 'tell, tell, tell'],
    [[TO_TEN, FOR_EVER, TO_NINE], 'x', 'mute until 09:00'],
    [[{ on: [] }, { afterFailures: 5 }, { when: UNMET }], 'x', 'after_failures'],
  ],
};

describe('a BOT’s callbacks are', () => {
  for (const [what, cases] of Object.entries(TABLE))
    it(what, () => {
      for (const [routes, runs, are, more = {}] of cases) {
        const place = new Place(...routes);
        if (more.snoozed !== undefined) place.snoozes = [snooze(more.snoozed)];
        place.burst = more.burst;
        expect(all(place, runs).map(shown).join(', '), JSON.stringify([routes, more])).to.equal(are);
      }
    });

  it('told with how many errors were held back before them, once, also where they are held for a while', () => {
    const decisions = all(new Place({ repeat: 15 * MINUTE }), 'xxxxxox');
    const told = decisions.map((decision) => `${shown(decision)} ${decision.telling?.heldBack ?? 0}`);
    expect(told).to.deep.equal(['tell 0', 'repeat 0', 'repeat 1', 'tell 2', 'repeat 0', 'tell 1', 'tell 0']);
    const errorsAlone = all(new Place({ on: ['error'], repeat: 15 * MINUTE }), 'xxox');
    expect(errorsAlone.at(-1)?.telling?.heldBack, 'a success that nobody was told of').to.equal(1);
    const limited = new Place({ repeat: 15 * MINUTE });
    limited.burst = { max: 1, perMs: 90 * MINUTE };
    const held = all(limited, 'xxxxo').map((each) => `${shown(each)} ${each.telling?.heldBack ?? 0}`);
    const until = 'burst until 09:30';
    expect(held).to.deep.equal(['tell 0', 'repeat 0', 'repeat 1', `${until} 2`, `${until} 0`]);
  });

  it('told with what differs from the plain message of their status, and nothing else', () => {
    const both = ['error', 'recovered'] as const;
    const [failingSince, failures] = [MORNING, 1];
    const occasion = { template: 'recovered', failingSince, failingForMs: 5 * MINUTE, failures } as const;
    const table: readonly (readonly [readonly Route[], runs: string, telling: Decision['telling']])[] = [
      [[{}], 'x', undefined],
      [[{ afterFailures: 2 }], 'xx', undefined],
      [[{ when: UNMET }, { afterFailures: 5 }], 'x', undefined],
      [[{ on: both }], 'xo', { occasion, isOnlyRecovery: true }],
      [[{ on: [...ALL, 'recovered'] }], 'xo', { occasion }],
      [
        [{ on: both }, { on: ['succeeded'], when: UNMET }],
        'xo',
        { occasion, isOnlyRecovery: true, wantedBy: ['routes[0]'] },
      ],
      [[TO_NINE, { when: UNMET }], 'x', { wantedBy: ['routes[0]'] }],
      // Which route tells it is said where that is not the first that has its status.
      [[{}, TO_NINE], 'x', undefined],
      [[TO_NINE, {}], 'x', { wantedBy: ['routes[1]'] }],
      [[{ afterFailures: 2 }, {}], 'x', { wantedBy: ['routes[1]'] }],
      [[{ afterFailures: 2 }, {}], 'xx', undefined],
      [[{ repeat: 60 * MINUTE }, { afterFailures: 2 }], 'xxx', { wantedBy: ['routes[1]'] }],
      [[{ when: UNMET }, TO_NINE, {}], 'x', { wantedBy: ['routes[2]'] }],
      [[{ on: ['succeeded'] }, {}], 'x', undefined],
      [[{ on: both }, {}], 'xo', { occasion, wantedBy: ['routes[0]'] }],
      [[{ repeat: 10 * MINUTE }], 'xxx', { heldBack: 1 }],
    ];
    for (const [routes, runs, telling] of table)
      expect(all(new Place(...routes), runs).at(-1)?.telling, JSON.stringify(routes)).to.deep.equal(telling);
    for (const [dueAt, lateByMs] of [
      [MORNING - MINUTE, MINUTE],
      [MORNING + MINUTE, 0],
    ] as const) {
      const { telling } = new Place({}, { lateFor: dueAt }).run({ status: 'succeeded' });
      expect(telling?.occasion).to.deep.equal({ template: 'late', dueAt, lateByMs });
    }
    const tellers = [new Place({}), new Place(TO_NINE, {})].map((place) => place.say().telling?.wantedBy);
    expect(tellers, 'of what has no status').to.deep.equal([['routes[0]'], ['routes[1]']]);
    const limited = new Place({});
    limited.burst = { max: 0, perMs: MINUTE };
    const held = { does: 'hold', rule: 'burst', until: MORNING + MINUTE, route: 'routes[0]' };
    expect(limited.run().ruling).to.deep.equal(held);
  });

  it('told where late, missing or held before, whatever the rules before mute say', () => {
    const quiet = { on: [], when: UNMET, afterFailures: 9 } as const;
    expect(shown(new Place({ ...quiet, lateFor: 1 }).run({ status: 'succeeded' }))).to.equal('tell late');
    expect(shown(new Place(quiet).say())).to.equal('tell');
    expect(shown(new Place({ ...quiet, ...FOR_EVER }).say())).to.equal('mute for ever');
    expect(shown(new Place({ ...quiet, ...FOR_EVER }).say('error'))).to.equal('mute for ever');
  });

  it('held neither longer nor less for a clock that is set back or a moment ahead', () => {
    const crowded = new Place({});
    crowded.burst = { max: 1, perMs: MINUTE };
    const repeated = new Place({ repeat: 15 * MINUTE });
    for (const [place, soon] of [
      [crowded, 'burst until 08:01'],
      [repeated, 'repeat'],
    ] as const) {
      const told = [0, -5, -60 * MINUTE].map((ms) => {
        place.now = MORNING + ms;
        return shown(place.run({ startedAt: MORNING }));
      });
      expect(told).to.deep.equal(['tell', soon, 'tell']);
    }
  });

  it('judged by the start of their runs, which may overtake each other, and by what the last one says', () => {
    const ends = { on: ['error', 'recovered'] } as const;
    const changes = { on: ['error'], repeat: 'changes' } as const;
    // A run every five minutes: an error, an error that says something else or a success, and how long it ran.
    for (const [rules, runs, are] of [
      [ends, 'x0 o7 o0 o0', 'tell, on, tell recovered 1, on'],
      [ends, 'x0 o5 o0', 'tell, tell recovered 1, on'],
      [ends, 'x0 o0 x0 x0 o0', 'tell, tell recovered 1, tell, tell, tell recovered 2'],
      [ends, 'x0 x0 o7 o0', 'tell, tell, tell recovered 1, tell recovered 1'],
      [ends, 'x0 o0 x7 o0', 'tell, tell recovered 1, tell, on'],
      [changes, 'x0 x0 y0 y0', 'tell, repeat, tell, repeat'],
      [changes, 'x0 o0 x7 x0', 'tell, on, tell, tell'],
    ] as const) {
      const place = new Place(rules);
      const told = runs.split(' ').map((each) => {
        const [message = '', status] = [each[0], each.startsWith('o') ? 'succeeded' : 'error'] as const;
        place.now += 5 * MINUTE;
        const decision = place.run({ status, message, startedAt: place.now - Number(each[1]) * MINUTE });
        const { occasion } = decision.telling ?? {};
        return shown(decision) + (occasion?.template === 'recovered' ? ` ${occasion.failures}` : '');
      });
      expect(told.join(', '), runs).to.equal(are);
    }
  });

  it('kept in a bounded number: one that nineteen overtake is counted, one that thirty do adds nothing', () => {
    for (const [overtaking, since, failures] of [
      [19, MORNING - MINUTE, 20],
      [30, MORNING, 30],
    ] as const) {
      const place = new Place({ on: ['error', 'recovered'] });
      expect(all(place, 'x'.repeat(overtaking)).at(-1)?.told.errors.length).to.be.at.most(20);
      place.run({ startedAt: MORNING - MINUTE });
      const { telling } = place.run({ status: 'succeeded' });
      expect(telling?.occasion).to.include({ template: 'recovered', failingSince: since, failures });
    }
  });
});

describe('a message to which several routes lead', () => {
  it('has the ruling of each', () => {
    const [, second] = all(new Place({ repeat: 60 * MINUTE }, { afterFailures: 2 }), 'xx');
    expect(second?.routes).to.deep.equal([
      { route: 'routes[0]', does: 'let go', rule: 'repeat' },
      { route: 'routes[1]', does: 'tell' },
    ]);
  });
});
