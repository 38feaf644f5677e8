/**
 * Reads a SQLite file in a thread: SQLite answers in the thread that asks, and a view of a million callbacks would hold up
 * the callbacks that come meanwhile (ADR 26).
 */
import { extname } from 'node:path';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  DummyDriver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { TaskThread } from '../../threads/task-thread.ts';
import type { Deadline } from '../../time/clock.ts';
import type { StoreReader } from '../dialect.ts';
import type { Tables } from '../tables.ts';

/** Beside this file, in the sources as in the build. */
const ENTRY = new URL(`./reading-thread${extname(import.meta.url)}`, import.meta.url);

/** With which the thread is started. */
export interface ReadingSetting {
  readonly path: string;
}

/** One statement, which is a transaction: one that stays open would keep the log from being emptied. */
export interface Question {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type QuestionAnswer =
  | { readonly rows: readonly unknown[] }
  /** What SQLite says. */
  | { readonly error: string };

type Ask = (question: Question) => Promise<readonly unknown[]>;

/** Opens the file when it is first asked, and closes it when nobody has asked for a while. */
export function openThreadedReader(path: string): StoreReader {
  const setting: ReadingSetting = { path };
  const thread = new TaskThread<Question, QuestionAnswer>({
    entry: ENTRY,
    data: setting,
    finishesTasks: true,
  });
  const askWithin =
    (deadline: Deadline): Ask =>
    async (question) => {
      // Of no subject: who asked first is answered first.
      const answer = await thread.run(question, { subject: question, size: 0, deadline });
      if ('error' in answer) throw new Error(answer.error);
      return answer.rows;
    };
  return {
    read: (deadline, work) => work(new Kysely<Tables>({ dialect: new ReadingDialect(askWithin(deadline)) })),
    close: () => thread.close(),
  };
}

class ReadingDialect implements Dialect {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  createAdapter() {
    return new SqliteAdapter();
  }

  createDriver() {
    return new ReadingDriver(this.#ask);
  }

  createQueryCompiler() {
    return new SqliteQueryCompiler();
  }

  createIntrospector(db: Kysely<unknown>) {
    return new SqliteIntrospector(db);
  }
}

/** Without transactions. */
class ReadingDriver extends DummyDriver {
  readonly #connection: DatabaseConnection;

  constructor(ask: Ask) {
    super();
    this.#connection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => ({
        rows: (await ask({ sql, parameters })) as Row[],
      }),
      streamQuery: () => {
        throw new Error('rows are read at once');
      },
    };
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }
}
