/** Statements that several calls ask at the same time in one transaction of PostgreSQL. */
import { expect } from 'chai';
import { prepared, shared, type Statement } from '../../src/ledger/database.ts';
import { type Query, SharedStatements } from '../../src/ledger/postgres/shared-statements.ts';

const ofRow = shared('bigint text');
const update = (id: number, to: string) =>
  ofRow`UPDATE rows SET id = ${id} /*from given*/ WHERE name = ${to} RETURNING /*nr*/ name`;
const insert = (id: number, body: unknown) =>
  ofRow`INSERT INTO rows (a, b) VALUES (${id}, ${body}) RETURNING id`;

describe('Statements that are asked at the same time', () => {
  let sent: Query[];
  let answers: Record<string, unknown>[][];

  beforeEach(() => {
    sent = [];
    answers = [];
  });

  const ask = (...statements: readonly Statement[]) => {
    const asked = new SharedStatements((query) => {
      sent.push(query);
      return Promise.resolve(answers.shift() ?? []);
    });
    return Promise.all(statements.map((statement) => asked.asker()(statement)));
  };
  const first = ({ text }: Query) => text.split(' ')[0];

  it('are one, and each gets the rows that are its own, in whatever order they come', async () => {
    answers = [
      [
        { nr: 2, name: 'b' },
        { nr: 1, name: 'a' },
      ],
    ];
    const rows = await ask(update(1, 'a'), update(2, 'b'), update(3, 'not there'));
    expect(rows.map((each) => each.map(({ name }) => name))).to.deep.equal([['a'], ['b'], []]);
    expect(sent).to.have.length(1);
  });

  it('insert all their rows in the order in which they were asked, or none', async () => {
    answers = [[{ id: 7 }, { id: 8 }], [{ id: 9 }]];
    expect(await ask(insert(1, 'a'), insert(2, 'b'))).to.deep.equal([[{ id: 7 }], [{ id: 8 }]]);
    const written = /SELECT given\.v1, given\.v2 FROM unnest.* ORDER BY given\.nr RETURNING id$/;
    expect(sent[0]?.text).to.match(written);
    const error = await ask(insert(1, 'a'), insert(2, 'b')).catch(String);
    expect(error).to.match(/a row that was given was not written/);
  });

  it('go out as they were first asked, those of one call in its order; what cannot be shared does not wait', async () => {
    const asked = new SharedStatements((query) => {
      sent.push(query);
      return Promise.resolve([]);
    });
    const [one, other] = [asked.asker(), asked.asker()];
    const asks = [one(insert(1, 'a')), other(update(2, 'b')), one(update(3, 'c')), other(insert(4, 'd'))];
    await Promise.all([...asks, one(prepared`SELECT ${1}`)]);
    expect(sent.map(first)).to.deep.equal(['SELECT', 'INSERT', 'UPDATE', 'INSERT']);
    expect(sent[2]?.values).to.deep.equal([
      [2, 3],
      ['b', 'c'],
    ]);
  });

  it('have a name by their text, under which the server keeps them prepared', async () => {
    await ask(insert(1, 'a'), update(2, 'b'));
    await ask(insert(3, 'c'), insert(4, 'd'));
    const [inserting, updating, insertingAgain] = sent.map(({ name }) => name);
    expect(inserting).to.equal(insertingAgain).and.not.to.equal(updating);
  });

  it('are several where their bodies together have more than a megabyte', async () => {
    const body = new Uint8Array(600_000);
    await ask(...[1, 2, 3].map((id) => insert(id, body)), insert(4, 'small'));
    expect(sent.map(({ values }) => [values[0]].flat())).to.deep.equal([[1], [2], [3, 4]]);
  });

  it('are all refused where the server refuses the one', async () => {
    const asked = new SharedStatements(() => Promise.reject(new Error('refused')));
    const ended = await Promise.allSettled([1, 2].map((id) => asked.asker()(insert(id, 'a'))));
    expect(ended.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
  });
});
