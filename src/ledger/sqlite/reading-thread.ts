/** The thread that reads a SQLite file for people: its first file. It answers one question after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Bindable } from './connection.ts';
import { openDatabase } from './open-database.ts';
import type { Question, QuestionAnswer, ReadingSetting } from './threaded-reader.ts';

const { path } = workerData as ReadingSetting;
let database: DatabaseSyncInstance | undefined;

parentPort?.on('message', (question: Question) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
  parentPort?.postMessage(answerTo(question));
});

/** Never throws. */
function answerTo({ sql, parameters }: Question): QuestionAnswer {
  try {
    database ??= openDatabase(path, { readOnly: true });
    return { rows: database.prepare(sql).all(...(parameters as Bindable[])) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
