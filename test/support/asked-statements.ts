/** What a ledger asks of its store, for tests that look at how the store would answer it. */
import type { CompiledQuery, Kysely, KyselyPlugin, PluginTransformQueryArgs } from 'kysely';
import type { Tables } from '../../src/ledger/tables.ts';

export class AskedStatements {
  readonly #asked: PluginTransformQueryArgs[] = [];
  readonly #listener: KyselyPlugin = {
    transformQuery: (query) => {
      this.#asked.push(query);
      return query.node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };

  /** What is asked of the store by what is returned is kept. */
  listening(db: Kysely<Tables>): Kysely<Tables> {
    return db.withPlugin(this.#listener);
  }

  /** In its order, as the store gets it. */
  compiledBy(db: Kysely<Tables>): readonly CompiledQuery[] {
    const executor = db.getExecutor();
    return this.#asked.map(({ node, queryId }) => executor.compileQuery(node, queryId));
  }
}
