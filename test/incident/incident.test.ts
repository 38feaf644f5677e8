import { expect } from 'chai';
import {
  alikeTo,
  calledOf,
  groupsOf,
  type Incident,
  stateOf,
  toldTroubles,
} from '../../src/incident/incident.ts';

const TAKEN = { by: 'kenji', because: '', at: 9 };
let ids = 0;

function incident(subject: string, fields: Partial<Incident> = {}): Incident {
  ids += 1;
  const at = { since: ids, lastAt: ids, count: 1 };
  const told = { sign: 'error', gist: 'refused', likeness: 'a', isWaiting: false } as const;
  return { id: ids, kind: 'bot', subject, subjectKey: subject, name: '', ...told, ...at, ...fields };
}

/** The subjects of each group, as `a b | c`. */
function grouped(...open: readonly Incident[]): string {
  return groupsOf(open)
    .map(({ incidents }) => incidents.map(({ subject }) => subject).join(' '))
    .join(' | ');
}

describe('Incidents', () => {
  it('are one group where BOTs fail alike, and stand alone where they do not', () => {
    const [a, b, other] = [incident('a'), incident('b'), incident('c', { likeness: 'x' })];
    expect(grouped(other, b, a)).to.equal('a b | c');
    expect(grouped(incident('a', { sign: 'missed' }), incident('b'))).to.equal('a | b');
    expect(grouped(incident('a', { gist: '' }), incident('b', { gist: '' }))).to.equal('a | b');
    const silent = { gist: '', sign: 'missed' } as const;
    expect(grouped(incident('a', silent), incident('b', silent))).to.equal('a b');
    expect(grouped(incident('a', { since: 1, id: 9 }), incident('b', { since: 1, id: 8 }))).to.equal('b a');
  });

  it('of destinations and of Botbell stand alone however alike they are', () => {
    const of = (kind: 'destination' | 'botbell', subject: string) => incident(subject, { kind });
    expect(grouped(of('destination', 'a'), of('destination', 'b'))).to.equal('a | b');
    expect(grouped(of('botbell', 'a'), of('botbell', 'b'))).to.equal('a | b');
  });

  it('are listed worst first: what nobody is on, Botbell’s own, destinations, then what most BOTs have', () => {
    const listed = [
      incident('waiting', { likeness: 'w', isWaiting: true }),
      incident('taken', { likeness: 't', takenUp: TAKEN }),
      incident('one', { likeness: 'o' }),
      incident('two'),
      incident('three'),
      incident('place', { kind: 'destination' }),
      incident('own', { kind: 'botbell' }),
      incident('taken too', { kind: 'botbell', takenUp: TAKEN }),
    ];
    const first = 'own | place | two three | one';
    expect(grouped(...listed)).to.equal(`${first} | taken too | taken | waiting`);
    const asTheyBegan = [incident('later', { likeness: 'l', since: 2 }), incident('first', { since: 1 })];
    expect(grouped(...asTheyBegan)).to.equal('first | later');
  });

  it('part where somebody is on some of what is alike', () => {
    expect(grouped(incident('a', { takenUp: TAKEN }), incident('b'))).to.equal('b | a');
    const byMary = { takenUp: { ...TAKEN, by: 'mary' } };
    expect(grouped(incident('a', { takenUp: TAKEN }), incident('b', byMary))).to.equal('a | b');
  });

  it('of the same cause are known from each of them, whoever is on them, but none that is not told yet', () => {
    const [a, taken] = [incident('a'), incident('b', { takenUp: TAKEN })];
    const open = [a, taken, incident('c', { isWaiting: true }), incident('d', { likeness: 'x' })];
    expect(alikeTo(a, open)).to.deep.equal([taken]);
    expect(alikeTo({ ...taken, overAt: 9 }, open)).to.deep.equal([a]);
  });

  it('sum up their group: since its first sign, by its latest, however often', () => {
    const [group] = groupsOf([
      incident('a', { since: 5, lastAt: 20, count: 2 }),
      incident('b', { since: 3, lastAt: 10 }),
      incident('c', { since: 6, lastAt: 15 }),
    ]);
    expect(group).to.include({ since: 3, count: 4 });
    expect(group?.latest.subject).to.equal('a');
  });

  it('are told ten at most, with how many more there are', () => {
    const came = { since: 1, count: 1, late: 2, lost: 3 };
    const told = { ...came, kind: 'bot', sign: 'error', gist: 'refused', name: '' };
    const all = Array.from({ length: 12 }, (_, id) => ({ ...incident('a', { id }), ...came }));
    const { troubles, moreTroubles } = toldTroubles(all);
    expect([troubles.length, moreTroubles]).to.deep.equal([10, 2]);
    expect(troubles.at(-1)).to.deep.equal({ ...told, id: 9, subject: 'a' });
  });

  it('are called by their BOT’s name, else by their subject, and Botbell’s own by its name', () => {
    expect(calledOf(incident('a', { name: ' Invoices ' }))).to.equal('Invoices');
    expect(calledOf(incident('a', { name: ' ' }))).to.equal('a');
    expect(calledOf(incident('refused 422', { kind: 'botbell' }))).to.equal('Botbell');
  });

  it('are open, taken up, or over whoever was on them', () => {
    expect(stateOf({})).to.equal('open');
    expect(stateOf({ takenUp: TAKEN })).to.equal('taken_up');
    expect(stateOf({ takenUp: TAKEN, overAt: 1 })).to.equal('over');
  });
});
