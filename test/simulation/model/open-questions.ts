/** Cases that CONTRACT.md leaves open: simulations show them, and the model does not judge them. */
export const OPEN_QUESTIONS: readonly string[] = [
  'Two routes expect a BOT by different rules, or call its runs overdue by different limits, at one destination: is it told once (4), or by each (8)? It is told by each.',
  'A muted `executing` is put into a summary, and its result is told while the summary waits: is the summary out of order (6)? It has no job, and is sent as it is.',
  'A result that comes while a call of the store takes seconds: by which moment is it judged (8)? Seeds with rules have no slow store.',
  'The clock of the store is set while a process has a claim, or a hold ends: what is told twice then, and when is it told? The model asks only that everything ends.',
  'Does `botbell_deliveries_held` count what is held as no longer routed, or what a summary that is a dead letter was to tell (7: what will be told)? It does; the model asks nothing of it then.',
  'A person gives back a message of a job whose later message was told: is that out of order (6)? It comes when it is asked for.',
  'The clock of the store is set back to a time that is behind: when has a run begun that, by that clock, begins later than now (8, 11)? By that clock, so before a success that had come; the model asks nothing of its BOT’s incident then.',
  'While processes run different configs, whose rules decide (8)? The model asks only whom they name.',
  'A machine sleeps for longer than a claim lasts while what it has claimed waits for its turn: on waking it begins the attempt, and so may another process that has claimed it by then (6). The world sleeps for less.',
  'A digest is due in the very moment in which the service starts for the first time (8: due within the last hour): is it told? It is not.',
  'May a test that a person asks for break a pause (6)? It is sent.',
  'Does a snooze of a destination hold the alerts that go there (6, 8)? The model asks for no alert where somebody has snoozed anything.',
  'A run ends whose BOT has had twenty results since of runs that began later: how many errors in a row is its error part of (8)? The product knows the last twenty, and judges it by the oldest of them.',
  'An incident was told as a wrong setting and is over, and within the hour a message is lost there: is that told (6: a dead letter is alerted when it dies), or is there no new first alert (6, 11)? It is told, and its end, too.',
];
